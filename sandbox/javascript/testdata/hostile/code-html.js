// outcome: failed
<script>alert(1)</script>

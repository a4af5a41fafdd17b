package strategy

// Settings are those of the operator that strategies need. The zero value is for production without sockets of Docker.
type Settings struct {
	// RDAPBootstrap is the URL of the list of RDAP servers; that of IANA when empty.
	RDAPBootstrap string
	// DockerSockets are the paths of Docker sockets that checks may use, by the names that checks have for them.
	DockerSockets map[string]string
}

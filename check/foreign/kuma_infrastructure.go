package foreign

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// mqtt makes a wait for a message of a broker.
func (e *kumaMonitor) mqtt(host string, port int) {
	o, line := e.object, e.object.lineOf("hostname")
	e.monitor.kind("healthcheck-mqtt.mqtt", "healthcheck-mqtt.message")
	e.timeout = e.interval * 8 / 10
	scheme, rest, found := strings.Cut(host, "://")
	if !found {
		scheme, rest = "mqtt", host
	}
	switch scheme {
	case "mqtt", "tcp":
		port = orElse(port, 1883)
	case "mqtts":
		port = orElse(port, 8883)
		e.config["tls"] = true
	default:
		e.drop(line, "MQTT over %s is not spoken", shown(scheme))
		return
	}
	e.hostPort(strings.TrimSuffix(rest, "/"), port, line)
	if user := o.str("mqttUsername"); user != "" {
		e.config["username"] = user
		if password := o.str("mqttPassword"); password != "" {
			e.config["password"] = e.secret("PASSWORD", password, o.lineOf("mqttPassword"))
		}
	}
	topic := o.str("mqttTopic")
	if topic == "" {
		e.drop(o.lineOf("mqttTopic"), "it has no topic")
		return
	}
	e.collecting["topic"] = topic
	e.assert("success", "", "isTrue", nil)
	value := conditionField{text: "message"}
	var ok bool
	if value.path, ok = e.path(); !ok {
		value.text = ""
	}
	if e.conditions(map[string]conditionField{"topic": {text: "topic"}, "message": {text: "message"}, "json_value": value}) {
		return
	}
	if o.str("mqttCheckType") == "json-query" {
		e.query("message")
	} else if keyword := o.str("mqttSuccessMessage"); keyword != "" {
		e.assert("message", "", "contains", keyword)
	}
}

// mongoCommands are the commands that a check may run, by their name in small letters.
var mongoCommands = map[string]string{
	"ping": "ping", "hello": "hello", "ismaster": "hello", "buildinfo": "buildInfo", "serverstatus": "serverStatus",
	"replsetgetstatus": "replSetGetStatus", "dbstats": "dbStats", "connectionstatus": "connectionStatus",
}

// severalHosts finds the list of hosts of a connection string.
var severalHosts = regexp.MustCompile(`^([a-z]+://(?:[^@/]*@)?[^,/@]+)(?:,[^,/@]+)+(/|\?|$)`)

// mongodb makes a command for a server.
func (e *kumaMonitor) mongodb() {
	o := e.object
	line := o.lineOf("databaseConnectionString")
	e.monitor.kind("healthcheck-mongodb.mongodb", "healthcheck-mongodb.command")
	address := strings.TrimSpace(o.str("databaseConnectionString"))
	if strings.HasPrefix(address, "mongodb+srv:") {
		e.drop(line, "its servers are named in DNS (mongodb+srv). Make a check for each of them")
		return
	}
	if severalHosts.MatchString(address) {
		address = severalHosts.ReplaceAllString(address, "$1$2")
		e.change(line, "databaseConnectionString", "The first server alone is asked. Make a check for each of the others")
	}
	u := e.address(address, line, "mongodb")
	if u == nil {
		return
	}
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		port = 27017
	}
	e.config["host"], e.config["port"] = u.Hostname(), port
	e.mongoLogin(u, line)
	e.mongoCommand(strings.Trim(u.Path, "/"))
}

// mongoLogin takes user, database of the user and encryption from a connection string.
func (e *kumaMonitor) mongoLogin(u *url.URL, line int) {
	query := u.Query()
	encrypted, err := strconv.ParseBool(orText(query.Get("tls"), query.Get("ssl")))
	if encrypted && err == nil {
		e.config["tls"] = true
		lax := []string{query.Get("tlsInsecure"), query.Get("tlsAllowInvalidCertificates"), query.Get("tlsAllowInvalidHostnames")}
		if slices.Contains(lax, "true") {
			e.config["skipVerify"] = true
		}
	}
	for key := range query {
		if strings.HasSuffix(key, "File") {
			e.leave(line, "databaseConnectionString", "%s names a file. Paste what it holds into the check", shown(key))
		}
	}
	if u.User == nil {
		return
	}
	e.config["username"] = u.User.Username()
	if password, _ := u.User.Password(); password != "" {
		e.config["password"] = e.secret("PASSWORD", password, line)
	}
	e.config["authDatabase"] = orText(query.Get("authSource"), orText(strings.Trim(u.Path, "/"), "admin"))
	if how := query.Get("authMechanism"); how != "" && !strings.HasPrefix(how, "SCRAM-") {
		e.drop(line, "it logs in by %s, which checks cannot", shown(how))
	}
}

// mongoCommand sets the command and what its answer has to be.
func (e *kumaMonitor) mongoCommand(database string) {
	o := e.object
	line := o.lineOf("databaseQuery")
	if query := o.str("databaseQuery"); query != "" {
		v, err := e.monitor.nested(query)
		if err != nil || v.kind != mapping || len(v.keys) == 0 {
			e.drop(line, "its command is no JSON object")
			return
		}
		command := mongoCommands[strings.ToLower(v.keys[0])]
		if command == "" {
			e.drop(line, "it runs the command %s. Checks run only commands that tell about the server", shown(v.keys[0]))
			return
		}
		e.collecting["command"] = command
		if len(v.keys) > 1 {
			e.leave(line, "databaseQuery", "The options of the command are not kept")
		}
	}
	if database != "" {
		e.collecting["database"] = database
	}
	e.assert("success", "", "isTrue", nil)
	at, ok := e.path()
	switch expected := o.str("expectedValue"); {
	case o.str("jsonPath") == "":
	case !ok:
		e.drop(o.lineOf("jsonPath"), "its query is more than a path. Write it as a JSONPath")
	case expected != "":
		e.assert("response", at, "equals", expected)
	default:
		e.assert("response", at, "exists", nil)
	}
}

// docker makes a look at a container.
func (e *kumaMonitor) docker() {
	o := e.object
	e.monitor.kind("healthcheck-docker.docker", "healthcheck-docker.container")
	container := o.str("docker_container")
	if container == "" {
		e.drop(o.lineOf("docker_container"), "it names no container")
		return
	}
	e.collecting["container"] = strings.TrimPrefix(container, "/")
	e.assert("running", "", "isTrue", nil)
	e.host = container
	line := o.lineOf("docker_host")
	daemon := ""
	if id := o.get("docker_host"); id != nil && e.dockers[id.text] != nil {
		d := e.monitor.object(e.dockers[id.text], "dockerHost")
		if daemon = d.str("dockerDaemon"); d.str("dockerType") == "socket" {
			daemon = "unix://" + daemon
		}
	}
	u, err := url.Parse(daemon)
	switch {
	case err != nil || daemon != "" && u.Scheme == "":
		e.drop(line, "the address of its Docker host cannot be read")
	case daemon == "":
		e.socket("docker", line, "Its Docker host is not in the file")
	case u.Scheme == "unix":
		e.socket(socketName(u.Path), line, "It asks "+u.Path)
	case u.Scheme == "tcp" || u.Scheme == "http" || u.Scheme == "https":
		fallback := 80
		if u.Scheme == "https" {
			fallback = 443
			e.change(line, "docker_host", "The client certificate of Docker stands in files. Paste it into the check")
		} else {
			e.config["withoutTls"] = true
		}
		e.hostPort(u.Host, fallback, line)
	default:
		e.drop(line, "its Docker host is reached by %s, which checks cannot", shown(u.Scheme))
	}
}

// socket names the socket of a Docker host. Its path is what an operator gives to the name.
func (e *kumaMonitor) socket(name string, line int, why string) {
	e.config["socket"] = name
	e.change(line, "docker_host",
		"%s: the check asks the socket %s, a name that an operator gives in COUNTERSIGN_CHECK_DOCKER_SOCKETS", why, name)
}

var unnamed = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// socketName makes a name of the path of a socket.
func socketName(file string) string {
	name := strings.Trim(unnamed.ReplaceAllString(strings.TrimSuffix(path.Base(file), ".sock"), "-"), "-")
	return orText(name[:min(len(name), 64)], "docker")
}

// snmp makes a question for one object.
func (e *kumaMonitor) snmp(host string, port int) {
	o := e.object
	e.monitor.kind("healthcheck-snmp.snmp", "healthcheck-snmp.get")
	e.hostPort(host, orElse(port, 161), o.lineOf("hostname"))
	switch version := o.str("snmpVersion"); version {
	case "3":
		e.config["version"], e.config["authProtocol"] = "3", "none"
		user := o.str("snmpV3Username")
		if user == "" {
			e.drop(o.lineOf("snmpVersion"), "it has no user, which version 3 of SNMP needs")
		}
		e.config["username"] = user
	case "1":
		e.change(o.lineOf("snmpVersion"), "snmpVersion", "Version 2c is spoken, and not 1")
		fallthrough
	default:
		e.config["community"] = e.secret("COMMUNITY", o.str("radiusPassword"), o.lineOf("radiusPassword"))
		if !o.has("radiusPassword") {
			e.config["community"] = e.use(secretName(e.name, "COMMUNITY"), "", e.line)
		}
	}
	e.collecting["oid"] = o.str("snmpOid")
	if expression := strings.TrimSpace(o.str("jsonPath")); expression != "" && expression != "$" {
		e.drop(o.lineOf("jsonPath"), "it looks for a value in JSON. Write an assertion about the value as it is")
		return
	}
	e.assert("found", "", "isTrue", nil)
	operator, expected := jsonOperators[o.str("jsonPathOperator")], o.str("expectedValue")
	number, err := strconv.ParseFloat(expected, 64)
	switch {
	case expected == "" && o.str("jsonPathOperator") == "":
	case operator == "":
		e.drop(o.lineOf("jsonPathOperator"), "%s is no comparison", shown(o.str("jsonPathOperator")))
	case operator == "equals" || operator == "notEquals" || operator == "contains":
		e.assert("value", "", operator, expected)
	case err != nil:
		e.drop(o.lineOf("expectedValue"), "it compares with what is no number")
	default:
		e.assert("number", "", operator, number)
	}
}

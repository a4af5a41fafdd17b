package store

import (
	"errors"
	"net"
	"path"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"
)

// Addresses lists the servers of a database URL as host:port, without Unix sockets.
func Addresses(url string) ([]string, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		// The parse error may quote the URL, which holds a password.
		return nil, errors.New("parse database URL: it must look like postgres://user:password@host:port/database")
	}
	var list []string
	add := func(host string, port uint16) {
		address := net.JoinHostPort(host, strconv.Itoa(int(port)))
		if !path.IsAbs(host) && !slices.Contains(list, address) {
			list = append(list, address)
		}
	}
	add(config.Host, config.Port)
	for _, other := range config.Fallbacks {
		add(other.Host, other.Port)
	}
	return list, nil
}

package app

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"countersign/app/config"
	"countersign/internal/secret"
)

// secretsCommand rotates the encryption key of secrets.
func secretsCommand(ctx context.Context, p Process) error {
	if len(p.Args) != 2 {
		return errors.New("usage: countersign secrets add-key, or countersign secrets rotate")
	}
	c, err := config.Load(p.Environ)
	if err != nil {
		return err
	}
	switch p.Args[1] {
	case "add-key":
		return addKey(c, p)
	case "rotate":
		return rotateSecrets(ctx, c, p)
	default:
		return fmt.Errorf("unknown command secrets %q; there are add-key and rotate", p.Args[1])
	}
}

func addKey(c config.Config, p Process) error {
	if c.Keyset != "" {
		return errors.New(
			"the keyset comes from COUNTERSIGN_KEYSET, which this command cannot change. Put it into a file keyset.json in " +
				"COUNTERSIGN_DATA, run the command there, and take the result as the new value",
		)
	}
	if err := secret.RotateFile(keysetFile(c)); err != nil {
		return err
	}
	_, err := fmt.Fprintf(
		p.Stdout,
		"Added a key to %s. Back the file up, restart every process, then run: countersign secrets rotate\n",
		keysetFile(c),
	)
	return err
}

// rotateSecrets re-encrypts everything with the newest key, without downtime: values can be decrypted with the old keys
// too.
func rotateSecrets(ctx context.Context, c config.Config, p Process) error {
	keys, db, err := openInstallation(ctx, c, 4)
	if err != nil {
		return err
	}
	defer db.Close()
	var failed []error
	var done []string
	failed = append(failed, wired(db, keys, p.More, func(_ *App, p *parts) error {
		for _, s := range p.list.Sealed() {
			n, err := s.Reseal(ctx)
			done, failed = append(done, fmt.Sprintf("%d %s", n, s.Values)), append(failed, err)
		}
		return nil
	}))
	_, err = fmt.Fprintf(p.Stdout, "Sealed with the newest key: %s. The rest was already.\n", strings.Join(done, ", "))
	return errors.Join(append(failed, err)...)
}

package main

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lethe-deid/lethe/deid/engine"
	"github.com/lethe-deid/lethe/deid/review"
	"github.com/lethe-deid/lethe/deid/service"
	"github.com/lethe-deid/lethe/deid/service/inception"
	"github.com/lethe-deid/lethe/deid/service/labelstudio"
	"github.com/lethe-deid/lethe/deid/service/openapi"
	"github.com/lethe-deid/lethe/deid/service/page"
	"github.com/lethe-deid/lethe/deid/service/presidio"
	"github.com/lethe-deid/lethe/deid/service/reviews"
	v1 "github.com/lethe-deid/lethe/deid/service/v1"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/models"
)

func newServe() *cobra.Command {
	config := service.Config{Version: experiments.Version(version)}
	var (
		body, memory int64
		given        []string
		reviewed     string
		options      engine.Options
		engineFlags  engineOptions
	)
	cmd := &cobra.Command{
		Use:   "serve [--model [NAME=]DIR...]",
		Short: "Remove PHI from notes over HTTP",
		Long: `Answer requests over HTTP until the program is told to stop. By default only programs on this
machine can connect, at http://127.0.0.1:5002. To serve other machines, give an address with
--listen, and a file of tokens with --token-file or an authority for certificates of clients with
--tls-client-ca.

  GET /                 a page to de-identify notes by hand, and to check what was found
  POST /v1/deidentify   notes in, notes without PHI out
  POST /analyze         and the other endpoints of Presidio: docs/presidio.md
  GET /v1/models        models, policies and kinds of replacement that a request can choose
  GET /livez, /readyz   whether the process runs, and whether it takes requests
  GET /metrics          counters, for Prometheus

Lethe writes a line of JSON to stderr for each request, with the time, the route, the status and
the sizes, and never anything that a client has sent.

On SIGTERM or Ctrl-C, Lethe answers the requests that it has and ends with exit code 0. On SIGHUP,
it reads the models again, while requests continue. See docs/service.md and docs/api.md.`,
		Example: `  lethe serve
  curl --json '{"text":"Seen by Dr. Vega."}' http://127.0.0.1:5002/v1/deidentify
  lethe serve --model en --model ward7=runs/ward7 --replace surrogate --key-file key
  lethe serve --listen :5002 --token-file tokens --tls-cert cert.pem --tls-key key.pem`,
		Args: wants(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			config.Limits.Body, config.Limits.Memory = body<<20, memory<<20
			for _, name := range limits {
				if value := cmd.Flags().Lookup(name).Value.String(); cmd.Flags().Changed(name) && (value == "0" || value == "0s" || strings.HasPrefix(value, "-")) {
					return usageError(cmd, fmt.Errorf("--%s %s is not positive", name, value))
				}
			}
			switch {
			case config.Drain < 0:
				return usageError(cmd, fmt.Errorf("--drain %s is negative", config.Drain))
			case cmd.Flags().Changed("drain") && config.Drain == 0:
				config.Drain = -1
			}
			if err := engineFlags.set(cmd, &options); err != nil {
				return usageError(cmd, err)
			}
			named, err := namedModels(given, options)
			if err != nil {
				return usageError(cmd, err)
			}
			return serve(cmd, config, named, reviewed)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&given, "model", nil, "model or run folder, or a model that comes with the program (en, es, auto), and the name by which requests choose it: `[NAME=]DIR`; repeatable, and the first is for requests that choose none (default auto, which chooses by the language of each note; default name that of the folder)")
	flags.StringVar(&reviewed, "review", "", "serve the review in `DIR`, which lethe review sample has made, to everybody who can use the service: see docs/review.md (default none)")
	engineFlags.flags(cmd, &options)
	accessFlags(flags, &config)
	limitFlags(flags, &config, &body, &memory)
	flags.BoolVar(&config.Quiet, "quiet", false, "log no line for requests that succeed")
	return cmd
}

// accessFlags adds the flags that say who can use the service.
func accessFlags(flags *pflag.FlagSet, config *service.Config) {
	flags.StringVar(&config.Listen, "listen", service.DefaultListen, "`ADDRESS` and port to listen on, such as :5002 for all addresses of this machine, or unix: and the path of a socket")
	flags.StringArrayVar(&config.Hosts, "host", nil, "accept requests whose header Host has this `NAME`; repeatable (default: on loopback localhost and its addresses, otherwise any)")
	flags.StringVar(&config.TokenFile, "token-file", "", "`FILE` with tokens, one per line, of which requests must have one: Authorization: Bearer TOKEN, or Basic with the token as password (default none)")
	flags.StringVar(&config.TLSCert, "tls-cert", "", "PEM `FILE` with the certificate of the service, for HTTPS; it is read again when it changes (default none)")
	flags.StringVar(&config.TLSKey, "tls-key", "", "PEM `FILE` with the key of the certificate (default none)")
	flags.StringVar(&config.TLSClientCA, "tls-client-ca", "", "PEM `FILE` with the authorities whose certificates clients must have (default none)")
	flags.BoolVar(&config.InsecureNoAuth, "insecure-no-auth", false, "let everybody who can reach the address use the service")
}

// limits are the flags of limits of which none is 0.
var limits = []string{"max-body", "max-text", "max-memory", "max-connections", "concurrent", "queue", "timeout"}

// limitFlags adds the flags that say how much the service accepts. body and memory are in MB.
func limitFlags(flags *pflag.FlagSet, config *service.Config, body, memory *int64) {
	l, byDefault := &config.Limits, service.DefaultLimits()
	flags.Int64Var(body, "max-body", byDefault.Body>>20, "largest body of a request, in `MB`")
	flags.IntVar(&l.Text, "max-text", byDefault.Text, "`NUMBER` of characters that the texts of a request may have")
	flags.Int64Var(memory, "max-memory", byDefault.Memory>>20, "memory for the bodies of all requests and the answers that are not sent yet, in `MB`; beyond it, requests are refused with status 503")
	flags.IntVar(&l.Connections, "max-connections", byDefault.Connections, "`NUMBER` of open connections; beyond it, Lethe closes those that ask for nothing")
	flags.IntVar(&l.Concurrent, "concurrent", 0, "`NUMBER` of requests to work on at the same time (default 16 per core)")
	flags.IntVar(&l.Queue, "queue", byDefault.Queue, "`NUMBER` of requests that wait for their turn; beyond it, requests are refused with status 503")
	flags.DurationVar(&l.Time, "timeout", byDefault.Time, "`TIME` that a request may take from when its body has arrived")
	flags.DurationVar(&config.Drain, "drain", 0, "`TIME` for which the service still accepts connections after it was told to stop, so that load balancers notice (default 10s, and on loopback 0s)")
}

// namedModels reads the values of --model: NAME=DIR, or DIR alone, whose last part is then the name.
func namedModels(given []string, options engine.Options) ([]engine.Named, error) {
	if len(given) == 0 {
		given = []string{models.Auto}
	}
	var all []engine.Named
	for _, value := range given {
		name, dir, ok := strings.Cut(value, "=")
		if !ok {
			name, dir = filepath.Base(value), value
		}
		switch {
		case name == "" || dir == "":
			return nil, fmt.Errorf("--model %q is not of the form NAME=DIR", value)
		case strings.ContainsFunc(name, func(r rune) bool { return !strings.ContainsRune(nameCharacters, r) }):
			return nil, fmt.Errorf("--model %q: a name can contain only letters, digits, and the characters . _ -", value)
		case slices.ContainsFunc(all, func(n engine.Named) bool { return n.Name == name }):
			return nil, fmt.Errorf("--model %s: there are two models of that name: give NAME=DIR", name)
		}
		options.Model = dir
		if _, err := options.Check(); err != nil {
			return nil, err
		}
		all = append(all, engine.Named{Name: name, Options: options})
	}
	return all, nil
}

// nameCharacters are those of which names of models consist, so that a name can be a part of a path.
const nameCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"

// serve opens the models and, unless reviewed is empty, a review, and runs the service until it is told to stop.
func serve(cmd *cobra.Command, config service.Config, named []engine.Named, reviewed string) error {
	var pool *engine.Pool
	var s *service.Server
	config.Reload = func() error {
		if err := pool.Reload(); err != nil {
			return err
		}
		listTypes(s, pool)
		return nil
	}
	s, err := service.New(config)
	if err != nil {
		return usageError(cmd, err)
	}
	collectAt(withSeveralModels)
	if pool, err = engine.NewPool(named...); err != nil {
		return err
	}
	listTypes(s, pool)
	mount(s, pool)
	if reviewed != "" {
		r, err := review.Open(reviewed)
		if err != nil {
			return err
		}
		s.Mount(reviews.Handlers(r))
	}
	reloadOnHangup(s)
	return s.Run(cmd.Context())
}

// health is the endpoint by which those who watch Presidio see that it runs. They have no token.
const health = "GET /health"

// mount gives the service all its endpoints.
func mount(s *service.Server, pool *engine.Pool) {
	s.Mount(v1.Handlers(v1.Config{Engines: pool, Version: experiments.Version(version), Count: s.Metrics().Found}))
	s.Mount(labelstudio.Handlers(func(name string) (labelstudio.Model, error) {
		m, finder, err := pool.Finder(name)
		if err != nil {
			return labelstudio.Model{}, err
		}
		return labelstudio.Model{Name: m.Name, Digest: m.Digest, Types: m.FoundTypes(), Tagger: finder}, nil
	}))
	s.Mount(inception.Handlers(func(name string) (inception.Model, error) {
		m, finder, err := pool.Finder(name)
		if err != nil {
			return inception.Model{}, err
		}
		return inception.Model{Name: m.Name, Digest: m.Digest, Tagger: finder}, nil
	}))
	like := presidio.Handlers(presidio.Config{Models: presidio.Engines(pool), Count: s.Metrics().Found})
	s.MountPublic(service.Routes{health: like[health]})
	delete(like, health)
	s.Mount(like)
	s.Mount(openapi.Handlers())
	s.MountPublic(page.Handlers())
}

// listTypes makes the metrics count the types of the models one by one.
func listTypes(s *service.Server, pool *engine.Pool) {
	for _, m := range pool.All() {
		for _, t := range m.FoundTypes() {
			s.Metrics().Types(t.Name)
		}
	}
}

// reloadOnHangup reads the models again on SIGHUP.
func reloadOnHangup(s *service.Server) {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	go func() {
		for range hangup {
			s.Reload()
		}
	}()
}

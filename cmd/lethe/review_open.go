package main

import (
	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/deid/engine"
	"github.com/lethe-deid/lethe/deid/service"
	"github.com/lethe-deid/lethe/experiments"
)

func newReviewOpen() *cobra.Command {
	config := service.Config{Version: experiments.Version(version)}
	cmd := &cobra.Command{
		Use:   "open DIR",
		Short: "Serve the page on which readers review the notes",
		Long: `Serve the page on which readers review the notes, to this machine only, until the program is told
to stop. The page is at the address that the first line on stderr names, by default
http://127.0.0.1:5002. Each correction is stored at once.

"lethe serve --review DIR" does the same with all options of the service, such as tokens and
TLS for readers on other machines.`,
		Example: "  lethe review open ward",
		Args:    wants("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			named, err := namedModels(nil, engine.Options{})
			if err != nil {
				return err
			}
			return serve(cmd, config, named, args[0])
		},
	}
	cmd.Flags().StringVar(&config.Listen, "listen", service.DefaultListen, "`ADDRESS` and port of this machine to listen on")
	return cmd
}

package main

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNoticeNamesEveryModule fails after a dependency has changed: go run ./scripts/release/licenses > NOTICE.
func TestNoticeNamesEveryModule(t *testing.T) {
	modules, err := list("../../..")
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := notice(&want, modules); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../../NOTICE")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.String(), strings.ReplaceAll(string(got), "\r\n", "\n")); diff != "" {
		t.Errorf("NOTICE is out of date; write it with go run ./scripts/release/licenses > NOTICE:\n%s", diff)
	}
	var texts bytes.Buffer
	if err := fullTexts(&texts, modules); err != nil {
		t.Fatal(err)
	}
	for _, m := range modules {
		if !strings.Contains(texts.String(), "==== "+m.Path+" "+m.Version+": ") {
			t.Errorf("there is no text of the licence of %s", m.Path)
		}
	}
}

func TestIdentify(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string
	}{
		{"Apache License\n   Version 2.0, January 2004", []string{"Apache-2.0"}},
		{"Licensed under the Apache License, Version 2.0", []string{"Apache-2.0"}},
		{"Permission is hereby granted,\nfree of charge, to any person obtaining a copy", []string{"MIT"}},
		{"Redistribution and use in source and binary forms", []string{"BSD-2-Clause"}},
		{"Redistribution and use in source and\n binary forms ... Neither the name of X", []string{"BSD-3-Clause"}},
		{"All rights reserved.", nil},
	} {
		if got := identify(test.text); !slices.Equal(got, test.want) {
			t.Errorf("identify(%q) = %v, want %v", test.text, got, test.want)
		}
	}
}

package tagger

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/internal/strictyaml"
)

func TestValidateConfig(t *testing.T) {
	for want, edit := range map[string]func(*Config){
		"":                                  func(*Config) {},
		"dropout: 1 is not in [0, 1)":       func(c *Config) { c.Dropout = 1 },
		"dropout: NaN is not in [0, 1)":     func(c *Config) { c.Dropout = math.NaN() },
		"word_dropout: -1 is not in [0, 1)": func(c *Config) { c.WordDropout = -1 },
		`cell: "gru" is not coupled, peephole, full-peephole or standard`: func(c *Config) { c.Cell = "gru" },
		"hidden: -1 is not between 0 and 16384":                           func(c *Config) { c.Hidden = -1 },
		"character_embedding: 0, but character_lstm is 25":                func(c *Config) { c.CharacterEmbedding = 0 },
		"character_embedding: 0, but characters is cnn": func(c *Config) {
			c.Characters, c.CharacterEmbedding = CharacterCNN, 0
		},
		`characters: "gru" is not lstm, cnn or none`:           func(c *Config) { c.Characters = "gru" },
		"character_filters: 0 is not between 1 and 16384":      func(c *Config) { c.CharacterFilters = 0 },
		"character_width: 0 is not between 1 and 16384":        func(c *Config) { c.CharacterWidth = 0 },
		"character_width: 16385 is not between 1 and 16384":    func(c *Config) { c.CharacterWidth = 16385 },
		"token_lstm: -1 is not between 0 and 16384":            func(c *Config) { c.TokenLSTM = Units{-1} },
		"token_lstm: the list is empty; 0 stands for no layer": func(c *Config) { c.TokenLSTM = nil },
		"token_lstm[1]: 0 is not between 1 and 16384":          func(c *Config) { c.TokenLSTM = Units{100, 0} },
		"token_lstm[0]: 16385 is not between 1 and 16384":      func(c *Config) { c.TokenLSTM = Units{16385, 100} },
		"layer_norm: true, but token_lstm is 0":                func(c *Config) { c.TokenLSTM, c.LayerNorm = Units{0}, true },
		"token_embedding: 0, and there is no character part: the network has no input": func(c *Config) {
			c.Characters, c.TokenEmbedding = NoCharacters, 0
		},
	} {
		cfg := DefaultConfig()
		edit(&cfg)
		got := ""
		if err := cfg.Validate(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("error %q, want %q", got, want)
		}
	}
	for _, edit := range []func(*Config){
		func(c *Config) { c.CharacterLSTM, c.CharacterEmbedding = 0, 0 },
		func(c *Config) { c.Characters, c.CharacterEmbedding = NoCharacters, 0 },
		func(c *Config) { c.Characters, c.CharacterLSTM = CharacterCNN, 0 },
		func(c *Config) { c.TokenLSTM = Units{0} },
	} {
		cfg := DefaultConfig()
		edit(&cfg)
		if err := cfg.Validate(); err != nil {
			t.Error(err)
		}
	}
}

// Settings that the paper's network does not use are not encoded, so that its files, and the digest
// by which an interrupted training is recognised, are those of earlier versions.
func TestEncodingOfTheDefaultsIsThatOfEarlierVersions(t *testing.T) {
	asYAML, err := yaml.Marshal(DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	const wantYAML = `character_embedding: 25
character_lstm: 25
token_embedding: 100
token_scale: 0.0
token_lstm: 100
hidden: 100
dropout: 0.5
word_dropout: 0.0
crf: true
cell: coupled
`
	if diff := cmp.Diff(wantYAML, string(asYAML)); diff != "" {
		t.Error(diff)
	}
	asJSON, err := json.Marshal(DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	const wantJSON = `{"CharacterEmbedding":25,"CharacterLSTM":25,"TokenEmbedding":100,"TokenScale":0,"TokenLSTM":100,"Hidden":100,` +
		`"Dropout":0.5,"WordDropout":0,"CRF":true,"Cell":"coupled"}`
	if diff := cmp.Diff(wantJSON, string(asJSON)); diff != "" {
		t.Error(diff)
	}
}

func TestConfigSurvivesYAML(t *testing.T) {
	type file struct {
		Network Config `yaml:"network"`
	}
	for want, edit := range map[string]func(*Config){
		"": func(*Config) {},
		"network:\n  characters: cnn\n  character_width: 5\n": func(c *Config) { c.Characters, c.CharacterWidth = CharacterCNN, 5 },
		"network:\n  characters: none\n  layer_norm: true\n":  func(c *Config) { c.Characters, c.LayerNorm = NoCharacters, true },
		"network:\n  embedding_range: 1.5\n":                  func(c *Config) { c.EmbeddingRange = 1.5 },
		"network:\n  character_filters: 50\n":                 func(c *Config) { c.CharacterFilters = 50 },
		"network:\n  token_lstm: [100, 50]\n":                 func(c *Config) { c.TokenLSTM = Units{100, 50} },
		"network:\n  token_lstm: [0]\n":                       func(c *Config) { c.TokenLSTM = Units{0} },
	} {
		given := file{DefaultConfig()}
		edit(&given.Network)
		encoded, err := yaml.Marshal(given)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{string(encoded), want} {
			got := file{DefaultConfig()}
			if err := strictyaml.Decode("", []byte(text), &got); err != nil && text != "" {
				t.Fatal(err)
			}
			if diff := cmp.Diff(given, got); diff != "" {
				t.Errorf("%s: %s", text, diff)
			}
		}
	}
}

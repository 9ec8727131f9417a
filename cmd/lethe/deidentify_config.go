package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/deid/policy"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/strictyaml"
	"github.com/lethe-deid/lethe/models"
	"github.com/lethe-deid/lethe/taggers/rules"
)

// configFile reads the options of a command from a YAML file and prints them as one. The keys are the names of the
// command's flags, so every flag is a key, and inputKey for the arguments.
type configFile struct {
	path  string
	print bool
	input []string // the file's
}

// inputKey is the key of the command's arguments.
const inputKey = "input"

// attach adds the flags of a configFile to a command that has all its other flags. The file is read before the command's
// PreRunE.
func (c *configFile) attach(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&c.path, "config", "", "read options from a YAML `FILE`, whose keys are the names of these flags, and input; a flag on the command line replaces the key (default none)")
	flags.BoolVar(&c.print, "print-config", false, "print the given options as such a file, and do nothing else")
	next := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if err := c.read(cmd.Flags()); err != nil {
			return err
		}
		return next(cmd, args)
	}
}

// inputs returns the arguments of the command, or those of the file if there are none.
func (c *configFile) inputs(args []string) []string {
	if len(args) > 0 {
		return args
	}
	return c.input
}

// textList is the value of a repeatable flag.
type textList []string

// Series allows a single value to be written without a list.
func (textList) Series() {}

// read sets the flags that the file names, except those given on the command line.
func (c *configFile) read(flags *pflag.FlagSet) error {
	if c.path == "" {
		return nil
	}
	raw, err := bounded.ReadFile(c.path, bounded.MaxConfig)
	if err != nil {
		return err
	}
	var keys []*pflag.Flag
	fields := []reflect.StructField{{Name: "Input", Type: reflect.TypeFor[textList](), Tag: yamlKey(inputKey)}}
	flags.VisitAll(func(f *pflag.Flag) {
		if isKey(f) {
			keys = append(keys, f)
			fields = append(fields, reflect.StructField{Name: fmt.Sprintf("Flag%d", len(keys)), Type: reflect.PointerTo(typeOf(f)), Tag: yamlKey(f.Name)})
		}
	})
	file := reflect.New(reflect.StructOf(fields))
	if err := strictyaml.Decode(c.path, raw, file.Interface()); err != nil {
		return err
	}
	for i, f := range keys {
		value := file.Elem().Field(i + 1)
		if value.IsNil() || f.Changed {
			continue
		}
		if err := c.set(flags, f, value.Elem().Interface()); err != nil {
			return fmt.Errorf("%s: %s: %w", c.path, f.Name, err)
		}
	}
	for _, input := range file.Elem().Field(0).Interface().(textList) {
		if input == "" {
			return fmt.Errorf("%s: %s: %w", c.path, inputKey, errNoValue)
		}
		c.input = append(c.input, c.resolve(input))
	}
	return nil
}

func yamlKey(name string) reflect.StructTag { return reflect.StructTag(fmt.Sprintf("yaml:%q", name)) }

// isKey reports whether a flag is a key of configuration files.
func isKey(f *pflag.Flag) bool {
	return !slices.Contains([]string{"config", "print-config", "help"}, f.Name)
}

// typeOf returns the type of a flag's value in YAML.
func typeOf(f *pflag.Flag) reflect.Type {
	if _, ok := f.Value.(pflag.SliceValue); ok {
		return reflect.TypeFor[textList]()
	}
	switch kind := f.Value.Type(); {
	case kind == "bool":
		return reflect.TypeFor[bool]()
	case strings.HasPrefix(kind, "int") || strings.HasPrefix(kind, "uint"):
		return reflect.TypeFor[int]()
	case strings.HasPrefix(kind, "float"):
		return reflect.TypeFor[float64]()
	}
	return reflect.TypeFor[string]()
}

var errNoValue = errors.New("has no value")

// set sets a flag to a value of the file.
func (c *configFile) set(flags *pflag.FlagSet, f *pflag.Flag, value any) error {
	values, ok := value.(textList)
	if !ok {
		values = textList{fmt.Sprint(value)}
	}
	for _, v := range values {
		if v == "" {
			return errNoValue
		}
		if isPath(f) && !isName(f, v) {
			v = c.resolve(v)
		}
		if err := flags.Set(f.Name, v); err != nil {
			return flagError(err)
		}
	}
	return nil
}

// resolve returns the path that a path in the file means: one relative to the file's folder.
func (c *configFile) resolve(path string) string {
	if path == stdio || filepath.IsAbs(path) {
		return path
	}
	joined := filepath.Join(filepath.Dir(c.path), path)
	return joined + slashOf(path)
}

// slashOf returns the separator at the end of a path, which means that it is a folder (see paths.IsFolder), or "".
func slashOf(path string) string {
	if path != "" && os.IsPathSeparator(path[len(path)-1]) {
		return path[len(path)-1:]
	}
	return ""
}

// namesOf has, for each flag whose value is a name or a path, a function that reports whether it is a name.
var namesOf = map[string]func(value string) bool{
	"model":  func(v string) bool { return v == models.Auto || slices.Contains(checkpoints.Builtin(), v) },
	"policy": func(v string) bool { return slices.Contains(policy.Names(), v) },
	"safety-net": func(v string) bool {
		return slices.Contains(append(rules.BuiltinNames(), "auto", "none", "off"), v)
	},
	"map-recipient": func(v string) bool { return strings.HasPrefix(v, "age1") },
}

func isName(f *pflag.Flag, value string) bool {
	return namesOf[f.Name] != nil && namesOf[f.Name](value)
}

// isPath reports whether the value of a flag may be a path, which its help shows as FILE, DIR or PATH.
func isPath(f *pflag.Flag) bool {
	shown, _ := pflag.UnquoteUsage(f)
	return namesOf[f.Name] != nil || slices.Contains([]string{"FILE", "DIR", "PATH"}, shown)
}

// write prints the flags that were given, on the command line or in a file, as a configuration file. Its paths are
// absolute, so that the file can be moved.
func (c *configFile) write(cmd *cobra.Command, args []string) error {
	var file yaml.MapSlice
	var err error
	absolute := func(path string) string {
		if path == stdio {
			return path
		}
		full, failed := filepath.Abs(path)
		if err == nil {
			err = failed
		}
		return full + slashOf(path)
	}
	if len(args) > 0 {
		inputs := slices.Clone(args)
		for i, path := range inputs {
			inputs[i] = absolute(path)
		}
		file = append(file, yaml.MapItem{Key: inputKey, Value: inputs})
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !isKey(f) {
			return
		}
		values := []string{f.Value.String()}
		list, repeatable := f.Value.(pflag.SliceValue)
		if repeatable {
			values = slices.Clone(list.GetSlice())
		}
		for i, v := range values {
			if isPath(f) && !isName(f, v) {
				values[i] = absolute(v)
			}
		}
		item := yaml.MapItem{Key: f.Name, Value: values}
		if !repeatable {
			item.Value = typed(f, values[0])
		}
		file = append(file, item)
	})
	if err != nil || len(file) == 0 {
		return err
	}
	encoded, err := yaml.Marshal(file)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(encoded)
	return err
}

// typed returns the value of a flag as a value of YAML.
func typed(f *pflag.Flag, value string) any {
	switch typeOf(f).Kind() {
	case reflect.Bool:
		return value == "true"
	case reflect.Int:
		if n, err := strconv.Atoi(value); err == nil {
			return n
		}
	case reflect.Float64:
		if x, err := strconv.ParseFloat(value, 64); err == nil {
			return x
		}
	}
	return value
}

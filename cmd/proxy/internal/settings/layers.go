package settings

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/alecthomas/kong"
)

// Layers resolves the flags that are not on the command line. It is an option
// of a kong parser and is bound there, so that a command's Run can ask for it.
// It serves one parse.
type Layers struct {
	environ map[string]string     // variable → value; never empty values
	file    *file                 // nil without one
	sources map[*kong.Flag]string // flag → where its value was found; only what a layer gave
}

// New returns the layers over an environment in the form of [os.Environ].
func New(environ []string) *Layers {
	return &Layers{environ: variables(environ), sources: map[*kong.Flag]string{}}
}

// Apply implements [kong.Option].
func (l *Layers) Apply(k *kong.Kong) error {
	for _, option := range []kong.Option{
		kong.Bind(l),
		kong.KindMapper(reflect.Bool, onOff{}),
		kong.WithBeforeResolve(l.load),
		kong.Resolvers(l),
	} {
		if err := option.Apply(k); err != nil {
			return err
		}
	}
	return nil
}

// load runs before the first flag is resolved, so that a fault of the
// environment or of the file as a whole is not reported as one of that flag.
func (l *Layers) load(ctx *kong.Context) error {
	if err := l.checkNames(ctx.Model); err != nil {
		return err
	}
	flag := flagNamed(ctx, fileFlag)
	if flag == nil {
		return nil
	}
	path := ctx.FlagValue(flag).(string)
	if path == "" {
		path = l.environ[variable(fileFlag)]
	}
	if path == "" {
		return nil
	}
	var err error
	l.file, err = readFile(path, func(key string) *kong.Flag {
		if outsideFile(key) {
			return nil
		}
		return flagNamed(ctx, key)
	})
	return err
}

// Validate implements [kong.Resolver]; load has done the work.
func (l *Layers) Validate(*kong.Application) error { return nil }

// Resolve implements [kong.Resolver]: the flag's value as it would be written
// on the command line, or nil if no layer has one.
func (l *Layers) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	value, source, ok := l.find(flag)
	if !ok {
		return nil, nil
	}
	if err := parses(flag, value); err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	l.sources[flag] = source
	return value, nil
}

func (l *Layers) find(flag *kong.Flag) (value, source string, ok bool) {
	name := variable(flag.Name)
	if value, ok := l.environ[name]; ok {
		return value, "environment " + name, true
	}
	if l.file != nil {
		if e, ok := l.file.entries[flag.Name]; ok {
			return e.value, fmt.Sprintf("%s:%d", l.file.path, e.line), true
		}
	}
	if name := flag.Tag.Get("fallback"); name != "" {
		if value, ok := l.environ[name]; ok {
			return value, "environment " + name, true
		}
	}
	return "", "", false
}

// parses tells whether the flag's parser takes the value, and the flag what it
// parsed to. The parser proper runs later, out of sight of where the value came from.
func parses(flag *kong.Flag, value string) error {
	scan := kong.ScanFromTokens(kong.Token{Type: kong.FlagValueToken, Value: value})
	scratch := reflect.New(flag.Target.Type()).Elem()
	if err := flag.Mapper.Decode(&kong.DecodeContext{Value: flag.Value, Scan: scan}, scratch); err != nil {
		return err
	}
	if flag.Enum == "" {
		return nil
	}
	given, list := scratch.Interface().([]string)
	if !list {
		given = []string{scratch.String()}
	}
	for _, one := range given {
		if !flag.EnumMap()[one] {
			return fmt.Errorf("must be one of %q but got %q", flag.EnumSlice(), one)
		}
	}
	return nil
}

// flagNamed returns the flag of the selected command, or nil without such a
// flag or a command.
func flagNamed(ctx *kong.Context, name string) *kong.Flag {
	command := ctx.Selected()
	if command == nil {
		return nil
	}
	flags := flagsOf(command)
	i := slices.IndexFunc(flags, func(flag *kong.Flag) bool { return flag.Name == name })
	if i < 0 {
		return nil
	}
	return flags[i]
}

// flagsOf returns the flags that a command takes: its own, and those of the commands that
// it is part of.
func flagsOf(command *kong.Node) (flags []*kong.Flag) {
	for ; command.Parent != nil; command = command.Parent {
		flags = append(flags, command.Flags...)
	}
	return flags
}

package main

// exitError is an error that a command ends with under a code of its own.
type exitError struct {
	error
	code int
}

func (e exitError) Unwrap() error { return e.error }

// ExitCode is what the program ends with.
func (e exitError) ExitCode() int { return e.code }

// misuse marks an error as one of what was asked for, or of what it was asked of.
func misuse(err error) error {
	if err == nil {
		return nil
	}
	return exitError{err, 2}
}

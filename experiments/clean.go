package experiments

import "fmt"

// Clean keeps words that occur in the training notes of few patients out of the model, whatever it
// consists of: such words are in none of its files. In YAML, true stands for the default.
type Clean struct {
	// Patients is the number of patients in whose training notes a word must occur, at least 2; default of clean: true
	// is 5; 0: the model is not clean. A note whose patient is unknown counts as a patient of its own.
	Patients int `yaml:"patients"`
}

// cleanPatients is the number of patients that clean: true stands for.
const cleanPatients = 5

// SetSwitch implements strictyaml.Switch.
func (c *Clean) SetSwitch(on bool) {
	*c = Clean{}
	if on {
		c.Patients = cleanPatients
	}
}

// cleanSystem makes all parts of the system clean, or none.
func (c *Config) cleanSystem() error {
	if n := c.Clean.Patients; n < 0 || n == 1 {
		return fmt.Errorf("clean.patients: %d is not at least 2", n)
	}
	_, err := c.System.SetMinPatients(c.Clean.Patients)
	return err
}

// checkClean returns an error if a part of the system has a number of patients of its own: there is one
// for all parts, so that the model as a whole keeps the promise.
func (c *Config) checkClean() error {
	switch changed, _ := c.System.SetMinPatients(c.Clean.Patients); { // finish returns the error
	case changed != "" && c.Clean.Patients == 0:
		return fmt.Errorf("%s: min_patients is decided for all parts at once: use clean.patients", changed)
	case changed != "":
		return fmt.Errorf("%s: min_patients is not clean.patients, %d, which decides it for all parts", changed, c.Clean.Patients)
	}
	return nil
}

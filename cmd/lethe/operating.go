package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/models"
	"github.com/lethe-deid/lethe/taggers/operating"
)

// operatingOptions are the flags that raise the recall of a model.
type operatingOptions struct{ minRecall, bias float64 }

// ofCalibration is the threshold of lethe deidentify without these flags.
const ofCalibration = "the threshold of lethe calibrate --default, as the models of the program have one, otherwise the most probable labels"

func (o *operatingOptions) flags(cmd *cobra.Command, byDefault string) {
	flags := cmd.Flags()
	flags.Float64Var(&o.minRecall, "min-recall", 0, "lower the threshold until this `SHARE` of the PHI tokens is found, as measured by lethe calibrate (a SHARE below 0.98 counts as 0.98); lethe models info lists those that a model can reach, and a higher SHARE is refused (default: "+byDefault+")")
	flags.Float64Var(&o.bias, "bias", 0, "add `LOGODDS` to each token's log-odds of being PHI, for a model that was not calibrated: with 2, tokens with a probability of at least 0.12 count as PHI (default none)")
}

func (o *operatingOptions) check(cmd *cobra.Command) error {
	if cmd.Flags().Changed("min-recall") && !(o.minRecall > 0 && o.minRecall < 1) {
		return fmt.Errorf("--min-recall %v is not between 0 and 1", o.minRecall)
	}
	if cmd.Flags().Changed("bias") && !(o.bias > 0 && o.bias <= operating.MaxBias) {
		return fmt.Errorf("--bias %v is not in (0, %v]", o.bias, operating.MaxBias)
	}
	return together(cmd, "min-recall", "bias")
}

// set returns the model with the threshold or bias of the options. A default of the model's calibration counts only if the result is to be that of deidentify.
func (o *operatingOptions) set(model *models.Model, deidentify bool) (data.Tagger, error) {
	if o.bias > 0 {
		return model.Biased(o.bias)
	}
	if o.minRecall == 0 && !deidentify {
		return model.Tagger, nil
	}
	tagger, _, err := model.At(o.minRecall)
	return tagger, err
}

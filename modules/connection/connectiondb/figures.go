package connectiondb

import "countersign/model"

// Figures are those of the models of a connection, by model.
type Figures map[string]LearnedFigures

// LearnedFigures are figures of one model. Number is their place in the order in which figures of the connection were
// learned; 0 for those that an earlier version stored.
type LearnedFigures struct {
	model.Figures

	Number int64 `json:"number,omitempty"`
}

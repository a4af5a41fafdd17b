package connectiondb

import "countersign/model"

// Figures are those of the models of a connection, by model.
type Figures map[string]model.Figures

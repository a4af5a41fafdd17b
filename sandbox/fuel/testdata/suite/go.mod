// The tests of QuickJS come with this module. Nothing of it is compiled.
module suite

go 1.26

require modernc.org/libquickjs v0.14.0

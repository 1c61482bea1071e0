cd /tmp/suite
A="gradients command_line reproduce docs datasets streaming"
B="layers inference learning plotting kernels training conformance backends"
(for d in $A; do ./run.sh base $d tests/$d; done) & 
(for d in $B; do ./run.sh base $d tests/$d; done; ./run.sh base top tests/test_*.py;  ./run.sh base doctests geomstats_cor cornet_nn) &
wait

# until one fails
run_steps() { for step in $steps; do $step || return; done; }
run_steps

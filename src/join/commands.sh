# run_commands NAME COUNT: runs $NAME_1, $NAME_2, …
run_commands() {
  number=0
  while [ "$number" -lt "$2" ]; do
    number=$((number + 1))
    command=''
    eval "command=\$${1}_$number"
    sh -c "$command" || { status=$?; say "command $1 the join $number of $2 failed"; return $status; }
  done
}
commands_before() { run_commands before "$before"; }

# The token is in both files and in no argument.
leftovers="$leftovers $run/machine-config.yaml"
fill_identity() {
  (umask 077; sed "s~machine-name.placeholder~$name~; s~,machine-labels.placeholder~$labels~" "$join_config" \
    > "$run/machine-config.yaml") && join_config=$run/machine-config.yaml
}

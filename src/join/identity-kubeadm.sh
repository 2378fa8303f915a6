# The token is in both files and in no argument.
fill_identity() {
  (umask 077; sed "s~machine-name.placeholder~$name~; s~,machine-labels.placeholder~$labels~" "$join_config" \
    > "$run/machine-config.yaml") && join_config=$run/machine-config.yaml
}

read_token() {
  token=$(sh -c "$token_command") || { say "the command for the token failed with status $?"; return 66; }
}

# Blanks, line ends and a byte order mark around a token are not a part of it.
get_token() {
  read_token || { say 'the token cannot be read'; return 66; }
  token=$(echo "$token" | tr -d '\357\273\277' | sed 's/^[[:space:]]*//; s/[[:space:]]*$//; /^$/d')
  wrong="${#token} characters, not 6, a dot and 16"
  case $token in
    [\"\'\`]*) wrong=quotes ;;
    *[[:cntrl:]]*) wrong='more than one line' ;;
    *[!a-z0-9.]* | *.*.* | token0.placeholder00000) wrong='not only a to z, 0 to 9 and one dot' ;;
    ??????.????????????????) return ;;
  esac
  say "$token_from does not hold a token: it has $wrong"
  return 65
}

# The token came with the files of the join, in $config, which is removed after every run. The placeholder is in
# two parts, so that a program that replaces it leaves this script alone.
get_token() {
  token=
  while IFS= read -r line; do
    case $line in "$token_line"*) token=${line#"$token_line"}; break ;; esac
  done 2>/dev/null < "$config"
  # without its last quote it has a line end, which would split the document
  case $token_line$token in
    *\"\") token= ;;
    *\"?*\") token=${token#\"} token=${token%\"} ;;
    *\"*) say "$token_from does not hold a token: it has more than one line"; return 65 ;;
  esac
  case $token in
    '' | 'token0.''placeholder00000') say "$missing"; return 66 ;;
    *[!a-z0-9.]* | *.*.*) ;;
    ??????.????????????????) return ;;
  esac
  say "$token_from does not hold a token: it has other characters than a to z, 0 to 9 and one dot, or not 6 and 16"
  return 65
}

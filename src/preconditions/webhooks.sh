#: webhooks
# yurt-manager keeps the webhooks of the release that was installed first in the annotation yurt-manager-template of both configurations, and writes them
# again after every change, without those that it does not serve. So an upgrade loses webhooks. A configuration that is replaced as a whole has
# no annotation, and yurt-manager takes its webhooks.
configurations='mutatingwebhookconfiguration/yurt-manager-mutating-webhook-configuration validatingwebhookconfiguration/yurt-manager-validating-webhook-configuration'

# Succeeds if a command succeeds, and prints nothing.
prints_nothing() {
  said=$("$@") || return 1
  [ -z "$said" ]
}

# The image of yurt-manager.
image() {
  kubectl --namespace="$namespace" get deployment yurt-manager --output=jsonpath='{.spec.template.spec.containers[0].image}'
}

# Pods of yurt-manager that are told to end, or run another image.
earlier_pods() {
  # shellcheck disable=SC2016 # a template of Go
  selector=$(kubectl --namespace="$namespace" get deployment yurt-manager --ignore-not-found --output=go-template='{{range $key, $value := .spec.selector.matchLabels}}{{$key}}={{$value}},{{end}}') || return 1
  [ -n "$selector" ] || return 0
  wanted=$(image) || return 1
  pods=$(kubectl --namespace="$namespace" get pods --selector="${selector%,}" --output=jsonpath='{range .items[*]}{.metadata.name}{"\t"}{.spec.containers[0].image}{"\t"}{.status.phase}{"\t"}{.metadata.deletionTimestamp}{"\n"}{end}') || return 1
  printf '%s\n' "$pods" | awk -F '\t' -v "wanted=$wanted" 'NF > 0 && $3 != "Succeeded" && $3 != "Failed" && ($2 != wanted || $4 != "") { print $1 }'
}

# Until they have ended: a yurt-manager of an earlier release writes both configurations without the webhooks that it does not serve, as often as the new
# one writes them with these.
earlier_pods_have_ended() {
  attempt=0
  until prints_nothing earlier_pods; do
    attempt=$((attempt + 1))
    [ "$attempt" -lt 60 ] || fail "Pods of an earlier yurt-manager have not ended, or cannot be listed: $(earlier_pods | tr '\n' ' ')"
    sleep 2
  done
}

# The CA of yurt-manager; nothing for who may not read the Secret.
authority() {
  kubectl --namespace="$namespace" get secret yurt-manager-webhook-certs --output=jsonpath='{.data.ca-cert\.pem}' 2>/dev/null || true
}

# Both configurations, as the release of Helm has them, with the CA: without it the API server cannot call them until yurt-manager has added it, a moment
# in which Nodes and Pods would be admitted as they are.
released_webhooks() {
  ca=$(authority)
  manifest=$(helm get manifest "$helm_release" --namespace "$namespace") || return 1
  printf '%s\n' "$manifest" | awk -v "ca=$ca" '
    function end() { if (wanted) printf "---\n%s", text; text = ""; wanted = 0 }
    /^---/ { end(); next }
    /^kind: (Mutating|Validating)WebhookConfiguration$/ { wanted = 1 }
    { text = text $0 "\n" }
    /^ *(- )?clientConfig:$/ && ca != "" {
      indent = $0
      sub(/clientConfig:$/, "", indent)
      gsub(/-/, " ", indent)
      text = text indent "  caBundle: " ca "\n"
    }
    END { end() }'
}

# Replaces both. There is no moment without those for Nodes and Pods.
restore_webhooks() {
  earlier_pods_have_ended
  save webhooks.yaml released_webhooks
  test -s backup/webhooks.yaml ||
    fail 'The release of Helm has no webhook configurations. Apply those that your program declares (OpenYurtWebhooks) for this release, with --force-conflicts, then run upgrade.sh again.'
  # replace fails if one is missing
  found=$(kubectl get $configurations --ignore-not-found --output=name)
  if [ "$(printf '%s\n' "$found" | grep -c .)" != 2 ]; then
    kubectl apply --filename=backup/webhooks.yaml
  fi
  attempt=0
  # yurt-manager writes them, too: the API server refuses one of two that write at once
  until kubectl replace --filename=backup/webhooks.yaml; do
    attempt=$((attempt + 1))
    [ "$attempt" -lt 5 ] || return 1
    sleep 1
  done
}

# What is wrong with the webhooks: those that are missing, that are of another release, or that have not the CA of yurt-manager.
wrong_webhooks() {
  # shellcheck disable=SC2016 # a template of Go
  seen=$(kubectl get $configurations --output=go-template='{{range .items}}{{$kind := .kind}}{{range .webhooks}}{{$kind}} {{.name}} {{with .clientConfig.service}}{{.namespace}}/{{.name}}{{.path}}{{end}}{{range .rules}} {{.apiGroups}}{{.apiVersions}}{{.resources}}{{.operations}}{{end}}{{"\t"}}{{with .clientConfig.caBundle}}{{.}}{{end}}{{"\n"}}{{end}}{{end}}') || return 1
  # without it the CAs are compared only with each other
  ca=$(authority)
  printf '%s\n' "$seen" | awk -F '\t' -v "ca=$ca" '
    NR == FNR { expected[$0] = 1; next }
    NF == 0 { next }
    { split($1, words, " ") }
    !($1 in expected) { print "not of this release: " words[1] " " words[2] }
    { seen[$1] = 1 }
    $2 == "" { print "without a CA: " words[2]; next }
    ca == "" { ca = $2 }
    $2 != ca { print "with another CA: " words[2] }
    END { for (line in expected) if (!(line in seen)) { split(line, words, " "); print "missing: " words[1] " " words[2] } }' \
    files/webhooks.txt -
}

# yurt-manager writes them a moment after it has started.
webhooks_are_served() {
  for attempt in 1 2 3 4 5 6 7 8 9 10; do
    wrong=$(wrong_webhooks) || return 1
    [ -n "$wrong" ] || return 0
    [ "$attempt" = 10 ] || sleep 2
  done
  say "The webhooks of yurt-manager are not those of its release:"
  say "$wrong"
  return 1
}
#: webhooks-repair
restore_webhooks
webhooks_are_served

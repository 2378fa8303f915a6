set -e
cd "$(dirname "$0")"
restore_webhooks
webhooks_are_served

# Orders as lines of JSON: one curl and one jq a page, the cursor out of the last line.
: > "$LINES"
next=
for ((page = 0; page < ORDERS / 250; page++)); do
  curl -sf -H "authorization: Bearer $API_KEY" "$BASE_URL/orders?limit=250$next" | jq -c '.data[]' >> "$LINES"
  last=$(tail -n 1 "$LINES")
  last=${last#*'"id":"'}
  next="&next=${last%%'"'*}"
done

/* Counts changes of facts that the cursor of the server does not count: annotations, and states of runs. It is part of the queries
   whose results depend on facts, so that they are requested again. */
import { onChanged, onGrew } from "../api/live";

let changes = $state(0);

onChanged((what) => what === "sidecar" && (changes += 1));
onGrew(({ runs }) => {
  if (Object.values(runs).some(({ kinds }) => Object.keys(kinds).length === 0)) changes += 1;
});

export function factChanges(): number {
  return changes;
}

/* Lists the tests that passed only on a retry, so that no race stays unseen, and fails the run when there are several. */
// By its path, because packages are looked up from this folder upwards, and they are below ui/. Only types: nothing is loaded.
import type { Reporter, TestCase, TestModule } from "../../ui/node_modules/vitest/dist/node";

/** One or two may be the machine's fault; more are ours. */
const MAX_FLAKY = 2;

export default class FlakyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const flaky = modules
      .flatMap(({ children }) => [...children.allTests()])
      .filter((test) => test.diagnostic()?.flaky);
    if (flaky.length === 0) return;
    console.log(["Flaky (passed on retry):", ...flaky.map(describe), ""].join("\n"));
    if (flaky.length <= MAX_FLAKY) return;
    console.error(`The run fails: ${flaky.length} tests were flaky, and at most ${MAX_FLAKY} may be.`);
    process.exitCode = 1;
  }
}

function describe(test: TestCase): string {
  const message = test.result().errors?.[0]?.message ?? "It left no error.";
  return [
    `  ${test.module.relativeModuleId} > ${test.fullName}`,
    ...message.split("\n").map((line) => `      ${line}`),
  ].join("\n");
}

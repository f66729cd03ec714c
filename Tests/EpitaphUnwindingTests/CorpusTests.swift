// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Testing

/// A few programs of Tests/Corpus, crashed for real. `Scripts/compare-stacks` runs them all.
struct CorpusTests {
    @Test("The frames of real crashes are gdb's, whatever a program was built with")
    func agreement() throws {
        let run = try Subprocess.run(
            [
                Products.packageRoot + "/Scripts/compare-stacks", "--tools",
                Products.directory, "gcc-separate-debug-frame/qsort",
                "gcc-separate-debug-frame/nested-handlers", "gcc-no-header/aligned-frame",
                "clang-no-build-id/no-return", "clang-no-build-id/first-stub",
                "g++-stripped/uncaught", "gcc-O2/handler-other-stack", "gcc-O2/zeros",
                "gcc-O2/fibre", "gcc-O2/reraised", "gcc-O2/negative-frame",
            ], deadlineSeconds: 300)
        #expect(run.ending == .exited(0))
        #expect(run.standardOutput.contains("of 12 crashes agree with gdb: 100.00%, 0 invented"))
        #expect(run.standardOutput.split(separator: "\n").count == 1)
    }
}

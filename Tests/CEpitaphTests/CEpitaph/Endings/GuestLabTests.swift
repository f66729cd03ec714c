// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Testing

/// Scripts/compare-endings beside the other tests, as far as it needs no quiet machine.
@Suite struct GuestLabTests {
    @Test("Random programs of signal actions do and end as without Epitaph")
    func random() throws {
        let result = try Subprocess.run(
            [
                Products.packageRoot + "/Scripts/compare-endings", "random", "--build",
                Products.directory, "--jobs", "1", "--seeds", "200",
            ], deadlineSeconds: 300)
        #expect(result.ending == .exited(0), "\(result.standardOutput)\(result.standardError)")
    }

    @Test("A program's files, its end and what is said of it are what they are without Epitaph")
    func matrix() throws {
        let result = try Subprocess.run(
            [
                Products.packageRoot + "/Scripts/compare-endings", "matrix", "--build",
                Products.directory, "--jobs", "1",
            ], deadlineSeconds: 300)
        #expect(result.ending == .exited(0), "\(result.standardOutput)\(result.standardError)")
    }
}

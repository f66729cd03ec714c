// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Testing

/// A part of Scripts/compare-endings beside the other tests, as far as it needs no quiet machine,
/// with what this build has compiled. Scripts/check runs all of it.
@Suite struct GuestLabTests {
    private func expectSame(_ arguments: [String]) throws {
        let result = try Subprocess.run(
            [
                Products.packageRoot + "/Scripts/compare-endings", "--build", Products.directory,
                "--compiled", "--jobs", "1",
            ] + arguments, deadlineSeconds: 300)
        #expect(result.ending == .exited(0), "\(result.standardOutput)\(result.standardError)")
    }

    @Test("Random programs of signal actions do and end as without Epitaph")
    func random() throws {
        let prefix = try InstalledLibrary.glibc.get().prefix
        try expectSame(["random", "--installed", prefix, "--seeds", "100"])
    }

    // There are eleven events: each way meets every third, and each event every third way.
    @Test("A program's files, its end and what is said of it are what they are without Epitaph")
    func matrix() throws {
        try expectSame(["matrix", "--one-of", "3"])
    }
}

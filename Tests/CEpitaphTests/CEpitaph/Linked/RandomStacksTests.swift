// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Testing

@Suite("Stacks of random calls")
struct RandomStacksTests {
    /// The script compares more of them, 5,000 unless told otherwise, with a library of its own.
    @Test("No caller is invented, and no stack that lacks one is called complete")
    func hundred() throws {
        let result = try Subprocess.run([
            Products.packageRoot + "/Scripts/random-stacks", "--count", "100", "--tool",
            Products.executable("dump-convert"), "--installed",
            InstalledLibrary.glibc.get().prefix,
        ])
        #expect(result.ending == .exited(0), "\(result.standardOutput)\(result.standardError)")
        // Behind a return address that was overwritten nothing tells who called, and of a thread
        // that a live dump does not stop most registers are unknown.
        let crashes = result.standardOutput.split(separator: "\n").first {
            $0.contains("stacks of crashes")
        }
        #expect(
            crashes?.contains("(100.00%) where nothing was overwritten") == true,
            "\(result.standardOutput)")
    }
}

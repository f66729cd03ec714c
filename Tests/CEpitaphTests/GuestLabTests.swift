// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// Scripts/guest-lab beside the other tests, as far as it needs no quiet machine.
@Suite struct GuestLabTests {
    @Test("A program's files, its end and what is said of it are what they are without Epitaph")
    func matrix() throws {
        let result = try Subprocess.run(
            [
                Products.packageRoot + "/Scripts/guest-lab", "matrix", "--build",
                Products.directory, "--jobs", "1",
            ], deadlineSeconds: 300)
        #expect(result.ending == .exited(0), "\(result.standardOutput)\(result.standardError)")
    }
}

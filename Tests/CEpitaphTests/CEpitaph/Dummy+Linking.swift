// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

extension Dummy {
    /// Links CEpitaphVictim anew, from the objects of this build.
    ///
    /// - Parameter flag: `-static` or `-static-pie`.
    static func linkStatically(_ flag: String, to program: String) throws {
        let folder = Products.directory + "/CEpitaphVictim.build"
        let dummy = try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(".c.o") || $0.hasSuffix(".cpp.o") }
            .map { folder + "/" + $0 }
        let objects = Products.cObjects + dummy
        let linked = try Subprocess.run(["c++", flag, "-o", program] + objects + ["-pthread"])
        #expect(linked.ending == .exited(0), "\(linked.standardError)")
    }
}

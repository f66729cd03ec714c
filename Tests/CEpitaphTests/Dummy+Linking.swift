// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

extension Dummy {
    /// Links the crash dummy anew, from the objects of this build.
    ///
    /// - Parameter flag: `-static` or `-static-pie`.
    static func linkStatically(_ flag: String, to program: String) throws {
        let folders = ["CDumpFormat", "CCrashCapture", "CEpitaph", "CrashDummy"].map {
            Products.directory + "/\($0).build"
        }
        let objects = try folders.flatMap { folder in
            try FileManager.default.contentsOfDirectory(atPath: folder)
                .filter { $0.hasSuffix(".c.o") || $0.hasSuffix(".cpp.o") }
                .map { folder + "/" + $0 }
        }
        let linked = try Subprocess.run(["c++", flag, "-o", program] + objects + ["-pthread"])
        #expect(linked.ending == .exited(0), "\(linked.standardError)")
    }
}

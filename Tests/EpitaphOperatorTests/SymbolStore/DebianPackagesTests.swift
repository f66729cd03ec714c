// SPDX-License-Identifier: Apache-2.0

import EpitaphSymbolStore
import EpitaphTestSupport
import Foundation
import Testing

@Suite("Packages that dpkg knows")
struct DebianPackagesTests {
    @Test("A file's package is found in the lists, whichever of two spellings they have")
    func owners() throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: directory.path("info"), withIntermediateDirectories: false)
        try directory.write(
            Array("/.\n/lib/x/libc.so.6\n/usr/bin/ldd\n".utf8), to: "info/libc6:amd64.list")
        try directory.write(Array("/usr/bin/lddx\n".utf8), to: "info/other.list")
        try directory.write(
            Array("Package: other\nVersion: 9\n\nPackage: libc6\nVersion: 2.36-9\n".utf8),
            to: "status")
        let packages = DebianPackages(directory: directory.path)
        let owners = packages.owners(of: ["/usr/lib/x/libc.so.6", "/usr/bin/ldd", "/usr/bin/l"])
        #expect(owners["/usr/lib/x/libc.so.6"]?.name == "libc6")
        #expect(owners["/usr/lib/x/libc.so.6"]?.version == "2.36-9")
        #expect(owners["/usr/bin/ldd"]?.debugPackage == "libc6-dbg")
        #expect(owners.count == 2)
        #expect(DebianPackages(directory: directory.path("none")).owners(of: ["/x"]).isEmpty)
    }
}

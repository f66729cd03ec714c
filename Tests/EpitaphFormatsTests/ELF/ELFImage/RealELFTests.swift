// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// Files of this machine; readelf is the second opinion.
struct RealELFTests {
    private static let files = [
        "/bin/true", Machine.own.libc, "/proc/self/exe",
    ].map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().path }

    private func image(_ path: String) throws -> ELFImage {
        try ELFImage(ByteSlice(Array(try Data(contentsOf: URL(fileURLWithPath: path)))))
    }

    @Test("Build id, soname and sections are those readelf shows", arguments: files)
    func factsOfRealFiles(path: String) throws {
        let image = try image(path)
        let shown = try Subprocess.run(["readelf", "-W", "-n", "-d", "-S", path]).standardOutput
        let buildID = image.buildID.map { String(format: "%02x", $0) }.joined()
        #expect(!buildID.isEmpty && shown.contains("Build ID: \(buildID)"))
        if let soname = image.soname { #expect(shown.contains("Library soname: [\(soname)]")) }
        #expect(shown.contains("There are \(image.sections.count) section headers"))
        for name in image.sections.map(\.name).dropFirst().prefix(20) {
            #expect(shown.contains(name))
        }
        #expect(try #require(image.unwindTable).entryCount > 0)
    }

    @Test("Every function of the C library is found at its own address")
    func symbolsOfTheCLibrary() throws {
        let path = Self.files[1]
        let table = ELFSymbolTable(try image(path))
        let shown = try Subprocess.run(["nm", "-D", "--defined-only", "-S", path]).standardOutput
        var addresses: [String: UInt64] = [:]
        var names: [UInt64: Set<String>] = [:]
        for line in shown.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count == 4, ["T", "W", "t"].contains(fields[2]),
                let address = UInt64(fields[0], radix: 16)
            else { continue }
            let name = String(fields[3].prefix { $0 != "@" })
            addresses[name] = address
            names[address, default: []].insert(name)
        }
        #expect(addresses.count > 1_500)
        for (name, address) in addresses {
            let found = try #require(table.symbol(containing: address), "\(name)")
            #expect(found.address == address)
            #expect(names[address]?.contains(found.name) == true)
        }
        #expect(table.symbol(containing: try #require(addresses["qsort"]) + 1)?.name == "qsort")
    }

    @Test("A real file cut anywhere is read without a trap")
    func realCuts() throws {
        let bytes = ByteSlice(Array(try Data(contentsOf: URL(fileURLWithPath: Self.files[0]))))
        for length in stride(from: 0, to: bytes.count, by: 61) {
            guard let image = try? ELFImage(bytes.slice(from: 0, length: length)) else { continue }
            _ = (image.unwindTable, image.debugLink, ELFSymbolTable(image).count)
        }
        #expect(try ELFImage(bytes).buildID.count == 20)
    }
}

// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

/// What the C code adds to the names of a program that it is linked into: docs/depending.md.
@Suite struct SymbolNameTests {
    /// Of the product that stands in for an allocator.
    private static let heap = "CEpitaphHeap.build"

    /// The folders of all C targets that programs can link, as this build has made them.
    private static func folders() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: Products.directory)
            .filter { $0.hasPrefix("CEpitaph") && $0.hasSuffix(".build") }
            // Those of the tests are in no product.
            .filter { !["CEpitaphVictim.build", "CEpitaphBench.build"].contains($0) }
    }

    private static func objects(in folders: [String]) -> [String] {
        folders.flatMap { folder in
            let path = Products.directory + "/" + folder
            let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String }
            return (names ?? []).filter { $0.hasSuffix(".c.o") }.map { path + "/" + $0 }
        }
    }

    @Test("Every global symbol begins with epitaph_, but for the functions of libc on the page")
    func prefix() throws {
        let objects = Self.objects(in: try Self.folders().filter { $0 != Self.heap })
        #expect(objects.count > 200)
        #expect(try others(objects) == documented("Functions of libc"))
    }

    @Test("EpitaphHeap has the allocator's functions on the page besides")
    func allocator() throws {
        let objects = Self.objects(in: [Self.heap])
        #expect(try others(objects) == documented("Functions of the allocator"))
    }

    private func others(_ objects: [String]) throws -> [String] {
        // POSIX's form, in which a line is a name, a type and two numbers: nm(1p).
        let listed = try Subprocess.run(["nm", "-g", "-P", "--defined-only"] + objects)
        try #require(listed.ending == .exited(0), "\(listed.standardError)")
        let lines = listed.standardOutput.split(separator: "\n").map { $0.split(separator: " ") }
        let symbols = lines.filter { $0.count > 1 }.map { String($0[0]) }
        return Set(symbols.filter { !$0.hasPrefix("epitaph_") }).sorted()
    }

    private func documented(_ question: String) throws -> [String] {
        let page = try PageBlock.all(of: "docs/depending.md")
        let block = try #require(page.first { $0.question == question })
        return block.code.flatMap { $0.split(separator: " ").map(String.init) }.sorted()
    }
}

// SPDX-License-Identifier: Apache-2.0

import EpitaphSymbolStore
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Testing

@Suite("Compressed files")
struct ExpandedFileTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Zeros, then what does not compress well, then zeros again.
    private func contents() -> [UInt8] {
        var random = SplitMix(state: 7)
        return [UInt8](repeating: 0, count: 3 << 20)
            + (0..<300_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            + [UInt8](repeating: 0, count: 1 << 20)
    }

    private func compressed(_ tool: Compression, _ bytes: [UInt8]) throws -> String {
        try directory.write(bytes, to: "plain")
        let target = directory.path("packed")
        let result = try Subprocess.run(
            ["sh", "-c", "\(tool.rawValue) -c <\(directory.path("plain")) >\(target)"])
        try #require(result.ending == .exited(0), "\(result.standardError)")
        return target
    }

    private func expanded(
        _ path: String, limits: ExpandedFile.Limits = .init()
    ) throws -> ExpandedFile {
        let file = try FileDescriptor.openForReading(path)
        let head = ByteSlice(try file.readAll(limit: 16))
        let compression = try #require(Compression(head: head))
        return try ExpandedFile(file, compression: compression, limits: limits, in: directory.path)
    }

    @Test("What comes out is what went in, and takes no name", arguments: Compression.allCases)
    func whole(tool: Compression) throws {
        let bytes = contents()
        let file = try expanded(compressed(tool, bytes))
        #expect(file.problem == nil)
        #expect(file.byteCount == UInt64(bytes.count))
        #expect(try FileBytes.contents(of: file.descriptor).array == bytes)
        let names = try Directory(opening: directory.path).list().names
        #expect(Set(names) == ["plain", "packed"])
    }

    @Test("A file that was cut off is kept as far as it goes", arguments: Compression.allCases)
    func cut(tool: Compression) throws {
        let path = try compressed(tool, contents())
        let packed = try FileBytes.contents(of: path).array
        for count in [20, packed.count / 2, packed.count - 1] {
            let cut = try directory.write(Array(packed[..<count]), to: "cut")
            let file = try expanded(cut)
            #expect(file.problem?.contains("cut off") == true, "\(count): \(file.problem ?? "")")
            #expect(file.byteCount < UInt64(contents().count) + 1)
        }
    }

    @Test("A broken file is kept up to where it breaks", arguments: Compression.allCases)
    func broken(tool: Compression) throws {
        var packed = try FileBytes.contents(of: try compressed(tool, contents())).array
        for offset in packed.count / 2..<packed.count / 2 + 4_000 { packed[offset] ^= 0x55 }
        let file = try expanded(try directory.write(packed, to: "broken"))
        #expect(file.problem?.contains("broken") == true, "\(file.problem ?? "none")")
    }

    @Test("No more is made of a small file than the limits allow")
    func limits() throws {
        let path = try compressed(.zstd, [UInt8](repeating: 0, count: 64 << 20))
        let file = try expanded(path, limits: .init(contentBytes: 16 << 20))
        #expect(file.problem?.contains("larger than") == true)
        #expect(file.byteCount <= 16 << 20)
    }
}

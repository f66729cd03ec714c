// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Testing

/// Entries of real files, taken out and read again.
struct CallFrameExtractTests {
    @Test(
        "Taken out of their file, entries give the same rules",
        arguments: [
            (Machine.own.libc, 97), (Machine.own.libstdcxx, 97), (Machine.other.libc, 97),
        ])
    func sameRules(path: String, stride: Int) throws {
        let image = try ELFImage(try ForeignFile.contents(of: path))
        let table = CallFrameTable(image)
        let rows = try FrameInterpretation(of: path, machine: image.machine).rows
        let addresses = rows.enumerated().filter { $0.offset % stride == 0 }.map(\.element.address)
        var extract = CallFrameExtract()
        for address in addresses {
            let isAdded = extract.add(from: table, at: address)
            let isThere = extract.add(from: table, at: address)
            #expect(isAdded && isThere)
        }
        #expect(addresses.count > 100)
        // Far less than the section they are from.
        let section = try #require(image.section(named: ".eh_frame"))
        #expect(extract.bytes.count < Int(section.size) / 4)
        let kept = CallFrameTable(extract: extract.bytes)
        for address in addresses {
            let rules = try #require(table.rules(at: address))
            #expect(kept.rules(at: address) == rules)
        }
    }

    @Test("The return path of a signal handler stays one")
    func signalFrame() throws {
        let path = Machine.own.libc
        let image = try ELFImage(try ForeignFile.contents(of: path))
        let table = CallFrameTable(image)
        let rows = try FrameInterpretation(of: path, machine: image.machine).rows
        let restorer = try #require(
            rows.map(\.address).first { table.rules(at: $0)?.isSignalFrame == true })
        var extract = CallFrameExtract()
        extract.add(from: table, at: restorer)
        let kept = CallFrameTable(extract: extract.bytes)
        #expect(kept.rules(at: restorer)?.isSignalFrame == true)
    }

    @Test("An address without an entry adds nothing, and what adds up ends at the limit")
    func limits() throws {
        let path = Machine.own.libstdcxx
        let image = try ELFImage(try ForeignFile.contents(of: path))
        let table = CallFrameTable(image)
        var extract = CallFrameExtract()
        let isAdded = extract.add(from: table, at: 8)
        #expect(!isAdded && extract.isEmpty)
        #expect(CallFrameTable(extract: extract.bytes).rules(at: 8) == nil)
        for segment in image.loadableSegments where segment.isExecutable {
            for address in stride(
                from: segment.address, to: segment.address + segment.memorySize, by: 16)
            {
                extract.add(from: table, at: address)
            }
        }
        #expect(extract.bytes.count <= CallFrameExtract.byteLimit)
        #expect(extract.bytes.count > 100_000)
    }

    @Test("Any bytes in its place give rules or none, and no trap")
    func randomBytes() throws {
        let path = Machine.own.libc
        let image = try ELFImage(try ForeignFile.contents(of: path))
        let table = CallFrameTable(image)
        let addresses = try FrameInterpretation(of: path, machine: image.machine).rows
            .prefix(200).map(\.address)
        var extract = CallFrameExtract()
        for address in addresses { extract.add(from: table, at: address) }
        var random = SplitMix(state: 7)
        for _ in 0..<Sweep.count(2_000, oneOf: 5) {
            var bytes = extract.bytes.array
            for _ in 0..<4 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] =
                    UInt8.random(in: 0...255, using: &random)
            }
            let damaged = CallFrameTable(extract: ByteSlice(bytes))
            for address in addresses.prefix(3) { _ = damaged.rules(at: address) }
        }
    }
}

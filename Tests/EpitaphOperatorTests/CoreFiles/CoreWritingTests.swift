// SPDX-License-Identifier: Apache-2.0

import EpitaphCores
import EpitaphValues
import Testing

@Suite("Core files that are written")
struct CoreWritingTests {
    private func sample() throws -> ProcessSnapshot {
        let source = CoreBytes(ByteSlice(HandmadeCore.twoThreads().bytes))
        return try CoreReader(source).snapshot(source)
    }

    private func written(_ snapshot: ProcessSnapshot) throws -> (bytes: [UInt8], CoreWriter) {
        let writer = try CoreWriter(snapshot)
        var sink = ByteBuilder()
        writer.write(to: &sink)
        #expect(writer.byteCount == UInt64(sink.count))
        return (sink.bytes, writer)
    }

    @Test("A core that was written is read as what was written")
    func roundTrip() throws {
        let snapshot = try sample()
        let source = CoreBytes(ByteSlice(try written(snapshot).bytes))
        let again = try CoreReader(source).snapshot(source)
        #expect(again.threads.map(\.id) == snapshot.threads.map(\.id))
        #expect(again.threads.map(\.registers) == snapshot.threads.map(\.registers))
        #expect(again.threads.map(\.stack) == snapshot.threads.map(\.stack))
        #expect(again.exception?.signalInfo == snapshot.exception?.signalInfo)
        #expect(again.files.auxv == snapshot.files.auxv)
        #expect(again.process.id == 40)
    }

    @Test("Segments come in the order of their addresses and as many bytes as are known")
    func segments() throws {
        let bytes = ByteSlice(try written(sample()).bytes)
        let count = Int(try #require(bytes.load(at: 56, as: UInt16.self)))
        var end: UInt64 = 0
        for index in 1..<count {
            let header = bytes.slice(from: 64 + index * 56, length: 56)
            let offset = try #require(header.load(at: 8, as: UInt64.self))
            let address = try #require(header.load(at: 16, as: UInt64.self))
            let size = try #require(header.load(at: 32, as: UInt64.self))
            #expect(address >= end)
            #expect(offset % 8 == address % 8)
            #expect(size == header.load(at: 40, as: UInt64.self))
            end = address + size
        }
    }

    @Test("More segments than the header can count are counted in a section header")
    func manySegments() throws {
        var snapshot = try sample()
        snapshot.memory = (0..<70_000).map {
            MemoryRegion(address: 0x1000_0000 + UInt64($0) * 128, bytes: ByteSlice([1, 2, 3, 4]))
        }
        let bytes = ByteSlice(try written(snapshot).bytes)
        #expect(bytes.load(at: 56, as: UInt16.self) == 0xffff)
        let source = CoreBytes(bytes)
        #expect(try CoreReader(source).snapshot(source).threads.count == 2)
    }

    @Test("Of a thread of which two registers are known, a core has two, and says so")
    func partial() throws {
        var snapshot = try sample()
        snapshot.threads[1].registers = .pointers(instruction: 5, stack: 6)
        snapshot.threads.append(ThreadSnapshot(id: 99, completeness: .missing))
        let (bytes, writer) = try written(snapshot)
        #expect(writer.problems.count == 2)
        #expect(writer.problems.joined().contains("1 thread without registers"))
        let source = CoreBytes(ByteSlice(bytes))
        let again = try CoreReader(source).snapshot(source)
        #expect(again.threads.count == 2)
        #expect(again.threads[1].registers?.instructionPointer == 5)
    }

    @Test("The dynamic linker's list is where the program's dynamic section says it is")
    func loaderList() throws {
        var snapshot = try sample()
        var linker = DynamicLinkerSnapshot()
        linker.version = 1
        linker.baseAddress = 0x7f00_0000_0000
        linker.dynamicSectionAddress = 0x40_3000
        linker.dynamicSection = ByteSlice(HandmadeCore.words([21, 0x7f00_0000_2000, 0, 0]))
        snapshot.dynamicLinker = linker
        for (path, start, dynamic) in [
            ("/usr/bin/daemon", 0x40_0000, 0x40_3000),
            ("/lib/libx.so", 0x7f00_0010_0000, 0x7f00_0010_3000),
        ] as [(String, UInt64, UInt64)] {
            var module = ModuleSnapshot(
                path: path, addressRange: start..<start + 0x4000,
                kind: snapshot.modules.isEmpty ? .executable : .sharedObject)
            module.loadBias = snapshot.modules.isEmpty ? 0 : start
            module.dynamicSectionAddress = dynamic
            snapshot.modules.append(module)
        }
        let memory = Memory(try written(snapshot).bytes)
        let first = try #require(memory.word(0x7f00_0000_2008))
        #expect(memory.word(first + 16) == 0x40_3000)
        let second = try #require(memory.word(first + 24))
        #expect(memory.word(second) == 0x7f00_0010_0000)
        #expect(memory.word(second + 24) == 0)
        #expect(memory.word(second + 32) == first)
        let name = try #require(memory.word(second + 8))
        #expect(memory.bytes(name, 12) == Array("/lib/libx.so".utf8))
    }

    /// The segments of a core, looked up without the product's reader.
    private struct Memory {
        let file: ByteSlice

        init(_ bytes: [UInt8]) { file = ByteSlice(bytes) }

        func bytes(_ address: UInt64, _ count: Int) -> [UInt8] {
            for index in 1..<Int(file.load(at: 56, as: UInt16.self) ?? 0) {
                let header = file.slice(from: 64 + index * 56, length: 56)
                guard let start = header.load(at: 16, as: UInt64.self),
                    let size = header.load(at: 32, as: UInt64.self),
                    let offset = header.load(at: 8, as: UInt64.self), address >= start,
                    address - start < size
                else { continue }
                return file.slice(from: Int(offset + address - start), length: count).array
            }
            return []
        }

        func word(_ address: UInt64) -> UInt64? {
            ByteSlice(bytes(address, 8)).load(at: 0, as: UInt64.self)
        }
    }
}

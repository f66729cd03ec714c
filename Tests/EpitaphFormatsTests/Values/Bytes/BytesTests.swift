// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Testing

@Suite struct ByteCursorTests {
    @Test("Integers are read little-endian, front to back")
    func readsLittleEndian() throws {
        var cursor = ByteCursor(ByteSlice([0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07]))
        #expect(try cursor.read(UInt8.self) == 0x01)
        #expect(try cursor.read(UInt16.self) == 0x0302)
        #expect(try cursor.read(UInt32.self) == 0x0706_0504)
        #expect(cursor.isAtEnd)
    }

    @Test("A read past the end says where, leaves the cursor and keeps what was read before")
    func truncated() throws {
        var cursor = ByteCursor(ByteSlice([1, 2, 3]))
        _ = try cursor.read(UInt8.self)
        #expect(throws: TruncatedRead(offset: 1, neededCount: 4, availableCount: 2)) {
            try cursor.read(UInt32.self)
        }
        #expect(cursor.offset == 1)
        #expect(throws: TruncatedRead.self) { try cursor.readSlice(count: -1) }
        #expect(throws: TruncatedRead.self) { try cursor.skip(.max) }
        #expect(try cursor.read(UInt16.self) == 0x0302)
    }

    @Test("A slice clips to its bounds instead of leaving them")
    func clips() {
        let slice = ByteSlice([1, 2, 3, 4]).slice(from: 1, length: 2)
        #expect(slice.array == [2, 3])
        #expect(slice.slice(from: 1, length: .max).array == [3])
        #expect(slice.slice(from: 5).isEmpty)
        #expect(slice.slice(from: -3, length: 1).array == [2])
        #expect(slice.byte(at: 2) == nil)
    }

    @Test("A builder writes what a cursor reads")
    func roundTrip() throws {
        var builder = ByteBuilder()
        builder.append(UInt16(0xBEEF))
        builder.appendZeros(2)
        builder.append("é")
        builder.overwrite(at: 2, with: UInt16(7))
        var cursor = ByteCursor(ByteSlice(builder.bytes))
        #expect(try cursor.read(UInt16.self) == 0xBEEF)
        #expect(try cursor.read(UInt16.self) == 7)
        #expect(cursor.readRest().text == "é")
    }
}

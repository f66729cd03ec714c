// SPDX-License-Identifier: Apache-2.0

import CEpitaphHandler
import Foundation
import Testing

/// A ring of breadcrumbs in memory of the test.
private final class Ring: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<epitaph_breadcrumb_ring>
    let slots: UnsafeMutablePointer<epitaph_breadcrumb_slot>

    init(_ count: Int) {
        let size = epitaph_breadcrumb_ring_size(count)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        pointer = memory.bindMemory(to: epitaph_breadcrumb_ring.self, capacity: 1)
        pointer.pointee.slot_count = UInt64(count)
        slots = (memory + MemoryLayout<epitaph_breadcrumb_ring>.size)
            .bindMemory(to: epitaph_breadcrumb_slot.self, capacity: count)
    }

    deinit { UnsafeMutableRawPointer(pointer).deallocate() }

    func put(_ message: [UInt8], _ category: [UInt8] = []) {
        message.withUnsafeBytes { message in
            category.withUnsafeBytes { category in
                var new = epitaph_new_breadcrumb()
                new.message = message.baseAddress?.assumingMemoryBound(to: CChar.self)
                new.message_bytes = message.count
                new.category = category.baseAddress?.assumingMemoryBound(to: CChar.self)
                new.category_bytes = category.count
                epitaph_breadcrumb_ring_put(pointer, &new)
            }
        }
    }

    func put(_ message: String) { put(Array(message.utf8)) }

    /// What a slot holds, and its number.
    func read(
        _ slot: Int
    ) -> (state: epitaph_breadcrumb_state, number: UInt64, message: [UInt8], isCut: Bool) {
        var copy = epitaph_breadcrumb()
        var number: UInt64 = 0
        let state = epitaph_breadcrumb_slot_read(slots + slot, &copy, &number)
        let message = withUnsafeBytes(of: copy.message) {
            Array($0.prefix(Int(copy.message_bytes)))
        }
        return (state, number, message, copy.is_cut != 0)
    }

    func text(_ slot: Int) -> String? {
        let (state, _, message, _) = read(slot)
        guard state == EPITAPH_BREADCRUMB_WHOLE else { return nil }
        return String(decoding: message, as: UTF8.self)
    }
}

@Suite struct BreadcrumbRingTests {
    @Test("The latest take the places of the oldest")
    func wrapping() {
        let ring = Ring(3)
        #expect(ring.read(0).state == EPITAPH_BREADCRUMB_NONE)
        for number in 1...5 { ring.put("\(number)") }
        #expect((0..<3).map { ring.text($0) } == ["4", "5", "3"])
        #expect((0..<3).map { ring.read($0).number } == [4, 5, 3])
    }

    @Test("A slot that somebody is in the middle of is left alone, and read as half written")
    func beingWritten() {
        let ring = Ring(3)
        for number in 1...3 { ring.put("\(number)") }
        ring.slots[0].sequence = 2 * 4 + 1
        for text in ["a", "b", "c"] { ring.put(text) }
        #expect(ring.read(0).state == EPITAPH_BREADCRUMB_HALF_WRITTEN)
        #expect(ring.read(0).number == 4)
        #expect([1, 2].map { ring.text($0) } == ["c", "b"])
        #expect(ring.pointer.pointee.dropped_count == 0)
    }

    @Test("With every slot in somebody's hands a breadcrumb is dropped and counted")
    func allBeingWritten() {
        let ring = Ring(2)
        ring.slots[0].sequence = 1
        ring.slots[1].sequence = 3
        ring.put("x")
        #expect(ring.pointer.pointee.dropped_count == 1)
        #expect([0, 1].map { ring.slots[$0].sequence } == [1, 3])
    }

    @Test("A writer that was overtaken does not overwrite what is newer")
    func overtaken() {
        let ring = Ring(2)
        // The one with number 1 took its number, and slept while others went once around.
        ring.put("1")
        ring.slots[0].sequence = 2 * 3
        ring.pointer.pointee.last_number = 0
        ring.put("late")
        #expect(ring.text(0) == "1" && ring.read(0).number == 3)
        #expect(ring.text(1) == "late" && ring.read(1).number == 2)
    }

    @Test(
        "A message is cut before the character that does not fit",
        arguments: [
            (255, "é", 255), (254, "é", 256), (255, "€", 255), (254, "€", 254), (253, "€", 256),
            (255, "😀", 255), (253, "😀", 253), (252, "😀", 256), (256, "a", 256),
        ])
    func characters(_ before: Int, _ character: String, _ kept: Int) {
        let ring = Ring(1)
        let whole = String(repeating: "x", count: before) + character
        ring.put(whole + "more")
        let text = ring.text(0)
        #expect(text?.utf8.count == kept)
        #expect(whole.hasPrefix(text ?? "?") && ring.read(0).isCut)
        ring.put(String(whole.unicodeScalars.prefix(before)))
        #expect(ring.read(0).message.count == before && !ring.read(0).isCut)
    }

    @Test("Bytes that are no UTF-8 are cut at the limit and kept as they are")
    func noText() {
        let ring = Ring(1)
        ring.put([UInt8](repeating: 0x80, count: 300), [UInt8](repeating: 0xff, count: 33))
        #expect(ring.read(0).message == [UInt8](repeating: 0x80, count: 256))
        #expect(ring.slots[0].breadcrumb.category_bytes == 32)
    }

    @Test("Counts that were overwritten in the crashed process stay within the texts")
    func wildCounts() {
        let ring = Ring(1)
        ring.put("x")
        ring.slots[0].breadcrumb.message_bytes = .max
        ring.slots[0].breadcrumb.category_bytes = .max
        #expect(ring.read(0).message.count == 256)
    }

    @Test("Many writers and a reader never see half of one")
    func storm() async {
        let ring = Ring(8)
        let writers = 4
        let rounds = 20_000
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<writers {
                group.addTask {
                    for round in 0..<rounds {
                        let letter = UInt8(ascii: "a") + UInt8((round * writers + writer) % 26)
                        ring.put([UInt8](repeating: letter, count: 1 + round % 256))
                    }
                }
            }
            group.addTask {
                for round in 0..<rounds {
                    let (state, _, message, _) = ring.read(round % 8)
                    guard state == EPITAPH_BREADCRUMB_WHOLE else { continue }
                    #expect(Set(message).count == 1)
                }
            }
        }
        // Each is in the ring or was overwritten; no slot stays claimed.
        let states = (0..<8).map { ring.read($0).state }
        #expect(states.allSatisfy { $0 == EPITAPH_BREADCRUMB_WHOLE })
        #expect(ring.pointer.pointee.last_number >= UInt64(writers * rounds))
        #expect(ring.pointer.pointee.dropped_count <= UInt64(writers * rounds))
    }
}

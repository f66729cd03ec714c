// SPDX-License-Identifier: Apache-2.0

import CEpitaphFormat
import EpitaphIntermediateDump
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// What C finds out about a file before it counts it is what the reader finds.
@Suite("The beginning of a dump file, read in C")
struct FileHeadTests {
    private func head(_ bytes: [UInt8], atMost limit: Int = .max) -> epitaph_file_head {
        let shown = Array(bytes.prefix(limit))
        return epitaph_file_head_read(shown, shown.count, UInt64(bytes.count))
    }

    private func zeros(_ bytes: [UInt8], to size: Int) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: max(0, size - bytes.count))
    }

    @Test("The owner is that of the launch record")
    func owner() {
        let head = head(zeros(SampleDumps.launch(headBytes: 4096).bytes, to: 4096))
        #expect(head.contents == EPITAPH_FILE_HAS_LAUNCH)
        #expect(head.head_bytes == 4096)
        #expect(head.owner.pid == 4711)
        #expect(head.owner.start_ticks == 123_456)
        #expect(head.owner.pid_namespace == 4_026_531_836)
        #expect(withUnsafeBytes(of: head.owner.boot_id) { Array($0) } == SampleDumps.bootID)
    }

    @Test("The start, the end and its signal are those of the record and the mark behind it")
    func ends() {
        let launch = head(SampleDumps.launch(headBytes: nil).bytes)
        #expect(launch.start_us > 0 && launch.end_us == 0 && launch.end_signal == 0)
        #expect(!launch.is_child && !launch.had_memory_warning && !launch.is_live)
        var ended = SampleDumps.launch(headBytes: 4096)
        ended.add(.endSignal, Int32(15))
        ended.add(.endTime, seconds: 1_700_000_042, microseconds: 7)
        let signalled = head(zeros(ended.finished, to: 4096))
        #expect(signalled.contents == EPITAPH_FILE_HAS_LAUNCH)
        #expect(signalled.end_signal == 15 && signalled.end_us == 1_700_000_042_000_007)
        var clean = SampleDumps.launch(headBytes: 4096)
        clean.add(.cleanExit, seconds: 9, microseconds: 1)
        #expect(head(zeros(clean.finished, to: 4096)).end_us == 9_000_001)
        var live = SampleDumps.launch(headBytes: nil)
        live.map(.reportRequest) { $0.add(.reportKind, UInt8(2)) }
        #expect(head(live.bytes).is_live)
    }

    @Test("Launch, clean end and crash are told apart, with a head and without one")
    func kinds() {
        for headBytes in [nil, 4096] as [UInt32?] {
            let size = Int(headBytes ?? 0)
            var dump = SampleDumps.launch(headBytes: headBytes)
            #expect(head(zeros(dump.bytes, to: size)).contents == EPITAPH_FILE_HAS_LAUNCH)
            let displaced = displaced(headBytes)
            #expect(head(zeros(displaced.bytes, to: size)).contents == EPITAPH_FILE_HAS_LAUNCH)
            for var ended in [dump, displaced] {
                ended.add(.cleanExit, seconds: 1, microseconds: 0)
                let bytes = zeros(ended.finished, to: size)
                #expect(head(bytes).contents == EPITAPH_FILE_HAS_CLEAN_END)
            }
            dump.map(.signalException) { $0.add(.signalNumber, 11) }
            #expect(head(zeros(dump.bytes, to: size)).contents == EPITAPH_FILE_HAS_CRASH)
        }
        #expect(head(SampleDumps.firstRecord).contents == EPITAPH_FILE_HAS_CRASH)
        #expect(head(SampleDumps.head).contents == EPITAPH_FILE_HAS_CRASH)
        #expect(head([]).contents == EPITAPH_FILE_HAS_NOTHING)
        #expect(head([0, 0, 0]).contents == EPITAPH_FILE_HAS_NOTHING)
    }

    private func displaced(_ headBytes: UInt32?) -> DumpBuilder {
        var dump = SampleDumps.launch(headBytes: headBytes)
        dump.array(.displacedHandlers) {
            $0.map { $0.add(.displacedSignal, 11) }
        }
        return dump
    }

    @Test("Sections behind the head are a crash, even when nothing was stored in it")
    func behind() {
        var dump = SampleDumps.launch(headBytes: 4096)
        dump.fill(to: 4096)
        dump.map(.signalException) { _ in }
        #expect(head(dump.bytes).contents == EPITAPH_FILE_HAS_CRASH)
        #expect(head(dump.bytes, atMost: 1000).contents == EPITAPH_FILE_HAS_CRASH)
    }

    @Test("Cut anywhere, a dump is what the reader takes it for", arguments: Fixture.small)
    func cuts(fixture: Fixture) {
        for length in stride(from: 0, through: min(fixture.bytes.count, 900), by: 1) {
            let bytes = Array(fixture.bytes[..<length])
            let contents = head(bytes).contents
            guard let dump = try? IntermediateDump(ByteSlice(bytes)) else {
                #expect(contents == EPITAPH_FILE_HAS_NOTHING)
                continue
            }
            // Inside the launch record, or inside the first command behind it, C is not sure.
            if case .crash = dump.contents, contents != EPITAPH_FILE_HAS_CRASH {
                Issue.record("\(fixture.name) cut after \(length) bytes: \(contents)")
            }
        }
    }

    @Test("Nothing traps, whatever the bytes")
    func noise() {
        var random = SplitMix64(state: 11)
        let launch = SampleDumps.launch(headBytes: 4096).bytes
        for _ in 0..<3000 {
            var bytes = launch + (0..<40).map { _ in UInt8.random(in: 0...7, using: &random) }
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                bytes[place] = UInt8.random(in: 0...255, using: &random)
            }
            let length = Int.random(in: 0...bytes.count, using: &random)
            _ = head(bytes, atMost: length)
        }
    }
}

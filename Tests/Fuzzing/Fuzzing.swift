// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Glibc

/// What libFuzzer calls, for one parser at a time: its name is in EPITAPH_FUZZ. Built and run by
/// Scripts/fuzz alone.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let start else { return 0 }
    let began = processorSeconds()
    parser(ByteSlice(Array(UnsafeBufferPointer(start: start, count: count))))
    let seconds = processorSeconds() - began
    guard seconds <= secondsPerInput else { fatalError("this input took \(seconds) s") }
    return 0
}

/// Of the processor: libFuzzer's own limit is on the clock's time, which a busy machine stretches.
private let secondsPerInput = 10.0

/// What this process has had of the processor, clock_gettime(2).
private func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

private let parser: @Sendable (ByteSlice) -> Void = {
    let name = getenv("EPITAPH_FUZZ").map { String(cString: $0) } ?? ""
    guard let parser = parsers[name] else { fatalError("EPITAPH_FUZZ names no parser: \(name)") }
    return parser
}()

private let parsers: [String: @Sendable (ByteSlice) -> Void] = [
    "intermediate-dump": DumpParsers.intermediateDump,
    "minidump": DumpParsers.minidump,
    "kept-stacks": DumpParsers.keptStacks,
    "core": CoreParsers.core,
    "core-handler": CoreParsers.handler,
    "walk": { DumpParsers.walk($0, isWithFiles: false) },
    "walk-with-files": { DumpParsers.walk($0, isWithFiles: true) },
    "show": DumpParsers.show,
    "elf-image": ImageParsers.image,
    "call-frames": ImageParsers.callFrames,
    "debug-information": ImageParsers.debugInformation,
    "mini-debug-information": ImageParsers.miniDebugInformation,
    "breakpad-symbols": ImageParsers.breakpadSymbols,
    "names": ImageParsers.names,
    "database": DeliveryParsers.database,
    "answers": DeliveryParsers.answers,
    "requests": DeliveryParsers.requests,
    "launches": ClientParsers.launches,
    "breadcrumb-file": ClientParsers.breadcrumbFile,
    "events": ClientParsers.events,
    "sessions": ClientParsers.sessions,
    "configuration": ClientParsers.configuration,
    "messages": ClientParsers.messages,
]

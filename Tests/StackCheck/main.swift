// SPDX-License-Identifier: Apache-2.0
//
// stack-check DUMP: prints the physical frames of the thread that crashed, one a line: address, name,
// name as the file has it, and how the frame was found. Scripts/corpus compares them with gdb's.

import Foundation
import IntermediateDump
import LinuxSystem
import Snapshot
import StackUnwinding
import Symbolication

func printFrames(of path: String) throws {
    let snapshot = try IntermediateDump(try MappedFile.contents(of: path)).snapshot
    let images = InstalledImages()
    guard let backtrace = StackUnwinder(snapshot: snapshot, images: images).unwindException()
    else {
        print("END\tthere is no exception in the dump")
        return
    }
    let symbolicator = Symbolicator(snapshot: snapshot, images: images)
    var named: [UInt64: SourceFrame] = [:]
    for frame in backtrace.frames {
        let name = named[frame.lookupAddress] ?? symbolicator.symbolicate(frame).last
        named[frame.lookupAddress] = name
        let address = String(frame.instructionPointer, radix: 16)
        let fields = [
            "FRAME", address, name?.function ?? "", name?.rawName ?? "", frame.foundBy.rawValue,
        ]
        print(fields.joined(separator: "\t"))
    }
    print("END\t\(backtrace.end)")
}

guard CommandLine.arguments.count == 2 else {
    print("usage: StackCheck DUMP")
    exit(2)
}
do {
    try printFrames(of: CommandLine.arguments[1])
} catch {
    print("END\t\(error)")
    exit(1)
}

// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSymbols
import EpitaphSystem
import EpitaphUnwinding
import EpitaphValues

/// The Breakpad symbol file of a program or library: each address gets what a report would show.
struct BreakpadFile {
    let contents: FileDescriptor
    let identity: BreakpadIdentity
    /// Possible names of the module; readers look for one of them.
    let names: [String]

    struct Refusal: Error {
        let reason: String
    }

    static func make(
        _ code: LocatedImage, debug: LocatedImage?, permissions: UInt32, in directory: String
    ) throws(Refusal) -> BreakpadFile? {
        let image = code.image
        guard let frames = BreakpadCallFrames(machine: image.machine, firstAddress: image.first)
        else { return nil }
        let identity = BreakpadIdentity(buildID: image.buildID)
        let file: FileDescriptor
        let problem: String?
        do throws(SystemError) {
            let body = try ScratchFile(in: directory).descriptor
            let tables = try writeFunctions(of: code, debug, to: body)
            try writeCallFrames(of: code, debug, frames, to: body)
            file = try ScratchFile(in: directory).descriptor
            var sink = FileSink(file)
            let name = moduleNames(code)[0]
            let architecture = image.machine == 183 ? "arm64" : "x86_64"
            try sink.append(
                Array(
                    (BreakpadText.head(identity, architecture: architecture, name: name)
                        + tables.text).utf8))
            try body.copy(body.fileStatus().sizeBytes, to: file)
            try file.setPermissions(permissions & 0o644 | 0o400)
            problem = tables.problem
        } catch {
            throw Refusal(reason: error.reason)
        }
        // Skipped parts would look as if there were nothing.
        if let problem { throw Refusal(reason: problem) }
        return BreakpadFile(contents: file, identity: identity, names: moduleNames(code))
    }

    private static func writeFunctions(
        of code: LocatedImage, _ debug: LocatedImage?, to body: FileDescriptor
    ) throws(SystemError) -> (text: String, problem: String?) {
        let listing = CodeListing(code, debug: debug)
        let first = code.image.first
        var text = BreakpadText()
        var sink = BufferedText(body)
        var labels = ""
        var lastLabel: UInt64?
        try listing.forEachPart { part throws(SystemError) in
            guard let outer = part.calls.last else { return }
            let start = part.range.lowerBound &- (outer.functionOffset ?? 0)
            guard !part.isBehindLabel || part.calls.count > 1 || outer.file != nil else {
                if lastLabel != start {
                    labels += BreakpadText.label(start &- first, outer.function ?? "")
                }
                lastLabel = start
                return
            }
            let range = part.range.lowerBound &- first..<part.range.upperBound &- first
            let calls = part.calls.map { call in
                BreakpadCall(
                    function: call.function,
                    place: call.file.flatMap { file in
                        call.line.map { BreakpadCall.Place(file: file, line: $0) }
                    })
            }
            try sink.append(text.add(range, functionStart: start, calls))
        }
        try sink.append(text.finish())
        try sink.append(labels)
        try sink.flush()
        return (text.tables, listing.problem)
    }

    private static func writeCallFrames(
        of code: LocatedImage, _ debug: LocatedImage?, _ frames: BreakpadCallFrames,
        to body: FileDescriptor
    ) throws(SystemError) {
        var sink = BufferedText(body)
        let table = CallFrameTable(
            code.image, debug: debug?.image, inflating: InflatedBytes.section)
        for rows in table.functions() {
            try sink.append(frames.records(rows))
        }
        try sink.flush()
    }

    /// Breakpad names a library by its soname, others by their file.
    private static func moduleNames(_ code: LocatedImage) -> [String] {
        let file = code.path.lastPathComponent
        guard let soname = code.image.soname, soname != file, !soname.contains("/"),
            !soname.isEmpty, soname != ".", soname != ".."
        else { return [file] }
        return [file, soname]
    }
}

private struct BufferedText {
    private var sink: FileSink
    private var bytes: [UInt8] = []

    init(_ file: FileDescriptor) {
        sink = FileSink(file)
    }

    mutating func append(_ text: String) throws(SystemError) {
        bytes += text.utf8
        if bytes.count >= 1 << 18 { try flush() }
    }

    mutating func flush() throws(SystemError) {
        try sink.append(bytes)
        bytes.removeAll(keepingCapacity: true)
    }
}

extension ELFImage {
    /// The base of addresses in a symbol file.
    fileprivate var first: UInt64 { lowestAddress(pageSize: 1) ?? 0 }
}

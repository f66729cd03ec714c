// SPDX-License-Identifier: Apache-2.0

import Snapshot

/// The machine, the process and the capture as labels and values.
enum SystemFactRows {
    static func rows(_ snapshot: ProcessSnapshot) -> [SummaryFacts.Row] {
        (machine(snapshot) + process(snapshot) + capture(snapshot.capture))
            .compactMap { label, value in value.map { .init(label: label, value: $0) } }
    }

    private static func machine(_ snapshot: ProcessSnapshot) -> [(String, String?)] {
        let system = snapshot.system
        return [
            ("Kernel", joined([system.kernelName, system.kernelRelease])),
            ("Kernel version", system.kernelVersion),
            ("Machine", system.machine ?? snapshot.architecture.name),
            ("Processors", system.processorCount.map(String.init)),
            ("Processor vendor", system.processorVendor),
            ("Processor signature", system.processorSignature?.hex),
            ("Processor features", system.processorFeatures?.hex),
            (
                "Capabilities",
                joined([system.hardwareCapabilities?.hex, system.hardwareCapabilities2?.hex])
            ),
            ("Page size", system.pageSize.map { byteCount(Int(clamping: $0)) }),
            ("Address bits of a pointer", system.addressMask?.hex),
        ]
    }

    private static func process(_ snapshot: ProcessSnapshot) -> [(String, String?)] {
        let process = snapshot.process
        return [
            ("Time in the program", process.userTimeSeconds.map(UTCTime.span)),
            ("Time in the kernel", process.systemTimeSeconds.map(UTCTime.span)),
            ("Since Epitaph's start", span(process.uptimeNanoseconds)),
            ("Boot id", snapshot.launch?.bootID?.uuidString.lowercased()),
        ]
    }

    private static func capture(_ capture: CaptureSummary?) -> [(String, String?)] {
        let threads = capture?.threadsFound.map { found in
            "\(found) found" + (capture?.threadsStopped.map { ", \($0) stopped" } ?? "")
        }
        return [
            ("Capture took", span(capture?.durationNanoseconds)),
            ("Threads", threads),
            ("Other threads stood still", span(capture?.pauseNanoseconds)),
            ("Blanked", capture?.blankedWords),
        ]
    }

    private static func span(_ nanoseconds: UInt64?) -> String? {
        nanoseconds.map { UTCTime.span(seconds: Double($0) / 1e9) }
    }

    private static func joined(_ parts: [String?]) -> String? {
        let known = parts.compactMap(\.self)
        return known.isEmpty ? nil : known.joined(separator: " ")
    }
}

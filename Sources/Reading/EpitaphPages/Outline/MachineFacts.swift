// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

extension ReportOutline {
    package var machineFacts: [Row] {
        let system = snapshot.system
        let process = snapshot.process
        let capture = snapshot.capture
        let capabilities = [system.hardwareCapabilities, system.hardwareCapabilities2]
        let rows = [
            Row("Kernel", joined([system.kernelName, system.kernelRelease])),
            Row("Kernel version", system.kernelVersion),
            Row("Machine", system.machine ?? snapshot.architecture.name),
            Row("Processors", system.processorCount.map(String.init)),
            Row("Processor vendor", system.processorVendor),
            Row("Processor signature", system.processorSignature?.hex),
            Row("Processor features", system.processorFeatures?.hex),
            Row("Capabilities", joined(capabilities.map { $0?.hex })),
            Row("Page size", system.pageSize.map { byteCount(Int(clamping: $0)) }),
            Row("Address bits of a pointer", system.addressMask?.hex),
            Row("Time in the program", process.userTimeSeconds.map(UTCTime.span)),
            Row("Time in the kernel", process.systemTimeSeconds.map(UTCTime.span)),
            Row("Since Epitaph's start", span(process.uptimeNanoseconds)),
            Row("Boot id", snapshot.launch?.bootID?.description),
            Row("Capture took", span(capture?.durationNanoseconds)),
            Row(
                "Threads",
                capture?.threadsFound.map { found in
                    "\(found) found" + (capture?.threadsStopped.map { ", \($0) stopped" } ?? "")
                }),
            Row("Other threads stood still", span(capture?.pauseNanoseconds)),
            blanked,
        ]
        return rows.compactMap(\.self)
    }

    private func span(_ nanoseconds: UInt64?) -> String? {
        nanoseconds.map { UTCTime.span(seconds: Double($0) / 1e9) }
    }

    private func joined(_ parts: [String?]) -> String? {
        let known = parts.compactMap(\.self)
        return known.isEmpty ? nil : known.joined(separator: " ")
    }
}

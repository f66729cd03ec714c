// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

extension JSONWriter {
    mutating func write(program outline: ReportOutline) {
        let explanation = outline.explanation
        let snapshot = outline.snapshot
        object(.program) { writer in
            writer.member(.name, explanation.executableName)
            writer.member(.path, explanation.executablePath)
            writer.member(.bundleID, snapshot.launch?.bundleID)
            if let words = outline.commandLine { writer.array(.commandLine, words.items) }
            if let words = outline.environment { writer.array(.environment, words.items) }
        }
        if let uuid = snapshot.launch?.uuid {
            object(.report) { $0.member(.uuid, uuid.description) }
        }
    }

    /// The report's kind and, if it is not a crash, what the program asked for.
    mutating func write(kind snapshot: ProcessSnapshot) {
        member(.kind, snapshot.kind?.word)
        guard snapshot.exception == nil, let request = snapshot.request else { return }
        object(.request) { writer in
            writer.member(.threadID, request.subjectThreadID)
            writer.member(.name, request.subjectName)
            writer.member(.durationSeconds, nanoseconds: request.durationNanoseconds)
            writer.member(.hasAllThreads, request.includesAllThreads)
        }
    }

    mutating func write(process snapshot: ProcessSnapshot) {
        let process = snapshot.process
        let launch = snapshot.launch
        object(.process) { writer in
            writer.member(.id, process.id ?? launch?.processID)
            writer.member(.parentID, process.parentID)
            writer.member(.userID, process.userID)
            writer.member(.userTimeSeconds, seconds: process.userTimeSeconds)
            writer.member(.systemTimeSeconds, seconds: process.systemTimeSeconds)
            writer.member(.uptimeSeconds, nanoseconds: process.uptimeNanoseconds)
            writer.member(.startTicks, launch?.startTicks)
            writer.member(.bootID, launch?.bootID?.description)
            writer.member(.pidNamespace, launch?.pidNamespace)
        }
    }

    mutating func write(times snapshot: ProcessSnapshot) {
        object(.times) { writer in
            writer.member(.start, snapshot.process.startTime)
            writer.member(.launch, snapshot.launch?.time)
            writer.member(.snapshot, snapshot.process.snapshotTime)
            writer.member(.cleanExit, snapshot.launch?.cleanExitTime)
        }
    }

    mutating func write(system snapshot: ProcessSnapshot) {
        let system = snapshot.system
        object(.system) { writer in
            writer.member(.architecture, snapshot.architecture.name)
            writer.member(.kernelName, system.kernelName)
            writer.member(.kernelRelease, system.kernelRelease)
            writer.member(.kernelVersion, system.kernelVersion)
            writer.member(.machine, system.machine)
            writer.member(.pageSize, system.pageSize)
            writer.object(.processor) { writer in
                writer.member(.count, system.processorCount)
                writer.member(.vendor, system.processorVendor)
                writer.member(.signature, hex: system.processorSignature)
                writer.member(.features, hex: system.processorFeatures)
                writer.member(.hardwareCapabilities, hex: system.hardwareCapabilities)
                writer.member(.hardwareCapabilities2, hex: system.hardwareCapabilities2)
                writer.member(.addressMask, hex: system.addressMask)
            }
        }
    }

    mutating func write(_ capture: CaptureSummary?) {
        guard let capture else { return }
        object(.capture) { writer in
            writer.member(.durationSeconds, nanoseconds: capture.durationNanoseconds)
            writer.member(.pauseSeconds, nanoseconds: capture.pauseNanoseconds)
            writer.member(.threadsFound, capture.threadsFound)
            writer.member(.threadsStopped, capture.threadsStopped)
            writer.member(.blankedBytes, capture.blankedByteCount)
        }
    }
}

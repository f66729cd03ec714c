// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension FieldReader {
    mutating func launchRecord(_ map: DumpMap) -> LaunchRecord {
        var record = LaunchRecord()
        record.processID = integer(.launchPID, in: map)
        record.startTicks = integer(.launchStartTicks, in: map)
        record.bootID = uuid(.launchBootID, in: map)
        record.pidNamespace = integer(.launchPIDNamespace, in: map)
        record.time = date(.launchTime, in: map)
        record.bundleID = text(.launchBundleID, in: map)
        record.uuid = uuid(.launchUUID, in: map)
        record.executablePath = text(.launchExecutable, in: map)
        record.crashBefore = uuid(.launchAfterCrash, in: map)
        record.headBytes = integer(.headBytes, in: map)
        record.isChild = flag(.launchIsChild, in: map)
        record.breadcrumbFile = uuid(.launchBreadcrumbFile, in: map)
        record.oomKills = text(.launchOOMKills, in: map)
        record.markedSignals = integer(.launchMarkedSignals, in: map)
        record.hadMemoryWarning =
            flag(.launchMemoryWarning, in: map)
        return record
    }

    mutating func process(_ map: DumpMap) -> ProcessFacts {
        var facts = ProcessFacts()
        facts.id = integer(.pid, in: map)
        facts.parentID = integer(.parentPID, in: map)
        facts.userID = integer(.userID, in: map)
        facts.startTime = date(.startTime, in: map)
        facts.snapshotTime = date(.snapshotTime, in: map)
        if let times = self.map(.taskBasicInfo, in: map) {
            facts.userTimeSeconds = seconds(.userTime, in: times)
            facts.systemTimeSeconds = seconds(.systemTime, in: times)
        }
        return facts
    }

    mutating func system(_ map: DumpMap) -> SystemFacts {
        var facts = SystemFacts()
        facts.kernelName = text(.kernelName, in: map)
        facts.kernelRelease = text(.kernelRelease, in: map)
        facts.kernelVersion = text(.osVersionBuild, in: map)
        facts.machine = text(.machineDescription, in: map)
        facts.processorCount = integer(.cpuCount, in: map)
        facts.processorVendor = text(.cpuVendor, in: map)
        facts.processorSignature = integer(.cpuSignature, in: map)
        facts.processorFeatures = integer(.cpuFeatures, in: map)
        facts.hardwareCapabilities = integer(.hardwareCapabilities, in: map)
        facts.hardwareCapabilities2 = integer(.hardwareCapabilities2, in: map)
        facts.pageSize = integer(.pageSize, in: map)
        facts.addressMask = integer(.addressMask, in: map)
        return facts
    }

    mutating func captureSummary(_ map: DumpMap) -> CaptureSummary {
        var summary = CaptureSummary()
        summary.durationNanoseconds = integer(.captureDuration, in: map)
        summary.threadsFound = integer(.captureThreadsFound, in: map)
        summary.threadsStopped = integer(.captureThreadsStopped, in: map)
        summary.pauseNanoseconds = integer(.capturePause, in: map)
        summary.blankedByteCount = integer(.captureBlankedBytes, in: map)
        return summary
    }

    mutating func files(_ root: DumpMap) -> SystemFiles {
        var pieces: [String: [ByteSlice]] = [:]
        _ = elements(.systemFiles, in: root) { file, fields -> Void? in
            guard let data = fields.bytes(.systemFileData, in: file) else { return nil }
            guard let name = fields.text(.systemFileName, in: file) else {
                fields.note(
                    .systemFileData, in: file, "SYSTEM_FILE_DATA has no file name and was left out")
                return nil
            }
            pieces[name, default: []].append(data)
            return nil
        }
        var files = SystemFiles()
        for (name, parts) in pieces {
            files.set(joined(parts), for: name)
        }
        return files
    }

    private func joined(_ parts: [ByteSlice]) -> ByteSlice {
        if let part = parts.first, parts.count == 1 { return part }
        var builder = ByteBuilder()
        for part in parts { builder.append(part) }
        return ByteSlice(builder.bytes)
    }
}

extension SystemFiles {
    fileprivate mutating func set(_ bytes: ByteSlice, for path: String) {
        switch path {
        case "/proc/self/maps": maps = bytes
        case "/proc/self/status": status = bytes
        case "/proc/self/auxv": auxv = bytes
        case "/proc/self/limits": limits = bytes
        case "/proc/cpuinfo": cpuinfo = bytes
        case "/etc/os-release": osRelease = bytes
        default: others[path] = bytes
        }
    }
}

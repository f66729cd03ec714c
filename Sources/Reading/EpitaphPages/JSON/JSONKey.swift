// SPDX-License-Identifier: Apache-2.0

/// Every member name of a report, so that a test can compare them with the published schema.
/// Register names, which are the processor's, are not included.
enum JSONKey: String, CaseIterable {
    case access, address, addressMask, alignment, allocated, annotations, architecture, attributes,
        blankedBytes, blocks
    case bootID = "bootId"
    case breadcrumbs, buildID = "buildId", bundleID = "bundleId", bytes, capture, category,
        caughtCount,
        cleanExit, code, column
    case commandLine, completeness, count, damage, diagnosis, doubts, durationSeconds, end,
        environment
    case error, errorCode, errorNumber, evidence, family, fault, features, file, fileOffset, files,
        findings, firstFault
    case foundBy, frameCount, frames, freed, function, functionOffset, functions,
        hardwareCapabilities
    case hardwareCapabilities2, hasAllThreads, headline, heap, host, id, identifier, index, inode,
        input,
        instructions
    case isAsyncCaller, isAtFault, isComplete, isCrashing, isCut, isInlined, isKept, isNameKept,
        isOfTask, isSignalFrame, isSubject, isTheProcessItself
    case kernelName, kernelRelease, kernelVersion, kind, launch, level, line, loadBias, machine,
        maps
    case meaning, memory, message, messages, module, modules, name, nice, notes, number,
        observations
    case offset, omission, pageSize, parentID = "parentId", path, pauseSeconds, permissions,
        pidNamespace, pool, priority, problem
    case process, processID = "processId", processor, program, rate, readingNotes, reason,
        registers,
        report, request, runState
    case sampledCount, schedulingPolicy, schema, schemaVersion, secondsBefore, sender, sentence,
        shortFunction,
        signal, signature, size, slot
    case skippedMapLines, snapshot, soname, source, stack, stackMemory, stage, start, startTicks,
        state
    case statement, subject, system, systemCall, systemTimeSeconds, text, threadCount
    case threadDataAddress, threadID = "threadId", threadName, threads, threadsFound,
        threadsStopped, time,
        times
    case queueName, taskName, trapNumber, type, typedValue, unloadedModule, unproven, uptimeSeconds,
        userID =
        "userId", userTimeSeconds, uuid, value,
        vendor
    case whyAsyncCallersIncomplete, whyIncomplete
}

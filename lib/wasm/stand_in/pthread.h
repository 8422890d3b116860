/* For the module, which has one thread: locks that nobody else holds. */
#ifndef STATEPATH_WASM_PTHREAD_H
#define STATEPATH_WASM_PTHREAD_H

typedef int pthread_mutex_t, pthread_once_t;
#define PTHREAD_MUTEX_INITIALIZER 0
#define PTHREAD_ONCE_INIT 0

static inline int pthread_mutex_lock(pthread_mutex_t *lock)
{
    return *lock = 0;
}

static inline int pthread_mutex_unlock(pthread_mutex_t *lock)
{
    return *lock = 0;
}

static inline int pthread_mutex_destroy(pthread_mutex_t *lock)
{
    return *lock = 0;
}

static inline int pthread_once(pthread_once_t *once, void (*run)(void))
{
    if (!*once)
        run();
    *once = 1;
    return 0;
}

#endif

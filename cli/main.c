#include <stdio.h>

#include "statepath.h"

int main(void)
{
    printf("statepath %s\n", sp_version());
    return 0;
}
